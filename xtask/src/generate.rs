//! Pages that are made from the code: the reference of the wire, what dialects cannot carry, the notes of the fold.

use crate::{Problems, files};
use replyfold_dialect::{CANNOT_CARRY, LossKind};
use replyfold_event::{EventType, ExtensionType, FieldInfo};
use std::fmt::Write;
use std::fs;

const STAMP: &str = "<!-- made by `cargo xtask gen`; change the code it is made from, not this page -->\n\n";

/// The table of the coarse protocol stands between these within a page that is written by hand.
const FROM: &str = "<!-- from here: made by `cargo xtask gen` -->\n\n";
const TO: &str = "\n<!-- to here -->";

/// Every generated page with its text, or why it cannot be made.
fn pages() -> [(&'static str, Result<String, String>); 3] {
    let coarse = "docs/wire/coarse.md";
    [("docs/wire/events.md", Ok(events())), ("docs/wire/losses.md", Ok(losses())), (coarse, with_mapping(files::read(coarse)))]
}

/// The page with the mapping of the code between its marks.
fn with_mapping(page: Result<String, String>) -> Result<String, String> {
    let page = page?;
    let (before, rest) = page.split_once(FROM).ok_or("the mark `from here` is missing")?;
    let (_, after) = rest.split_once(TO).ok_or("the mark `to here` is missing")?;
    Ok(format!("{before}{FROM}{}{TO}{after}", replyfold_coarse::mapping_table()))
}

pub(crate) fn write() -> Problems {
    let mut problems = Problems::new();
    for (path, text) in pages() {
        match text.and_then(|text| fs::write(files::root().join(path), text).map_err(|err| err.to_string())) {
            Ok(()) => println!("wrote {path}"),
            Err(err) => problems.push(format!("{path}: {err}")),
        }
    }
    problems
}

pub(crate) fn check() -> Problems {
    let stale = |(path, text): (&str, Result<String, String>)| match (files::read(path), text) {
        (Ok(found), Ok(text)) if found == text => None,
        (Ok(_), Ok(_)) => Some(format!("{path} is stale; run `cargo xtask gen`")),
        (Ok(_), Err(problem)) => Some(format!("{path}: {problem}")),
        (Err(problem), _) => Some(format!("{problem}; run `cargo xtask gen`")),
    };
    pages().into_iter().filter_map(stale).collect()
}

fn events() -> String {
    let mut page = format!("{STAMP}# Events on the canonical wire\n\n");
    page.push_str(
        "Every event also has the fields of the envelope: `id`, `createdAt`, `source`, `metadata` ([wire format](README.md)).\n\n",
    );
    page.push_str("| # | `type` | says |\n| --- | --- | --- |\n");
    for (number, event) in EventType::ALL.into_iter().enumerate() {
        let _ = writeln!(page, "| {} | [`{event}`](#{}) | {} |", number + 1, event.as_str().to_lowercase(), event.doc().trim());
    }
    page.push_str("\n## The taxonomy\n");
    for event in EventType::ALL {
        section(&mut page, event.as_str(), event.doc(), event.fields());
    }
    page.push_str("\n## Extensions\n\nTyped, folded and written like the others, and no part of the 27.\n");
    for extension in ExtensionType::ALL {
        section(&mut page, extension.as_str(), extension.doc(), extension.fields());
    }
    page
}

fn section(page: &mut String, name: &str, doc: &str, fields: impl Iterator<Item = FieldInfo>) {
    let _ = writeln!(page, "\n### {name}\n\n{}\n", doc.trim());
    let _ = writeln!(page, "| field | | holds |\n| --- | --- | --- |");
    for field in fields {
        let demanded = if field.required { "demanded" } else { "" };
        let _ = writeln!(page, "| `{}` | {demanded} | {} |", field.key, field.doc.trim());
    }
}

fn losses() -> String {
    let mut page =
        format!("{STAMP}# What a dialect cannot carry\n\nThe writers report each of these, and `replyfold convert` tells them.\n\n");
    page.push_str("| dialect | of | what | what becomes of it |\n| --- | --- | --- | --- |\n");
    for row in CANNOT_CARRY {
        let becomes = match row.kind {
            LossKind::EventLeftOut => "the event is left out",
            LossKind::FieldLeftOut => "the field is left out",
            LossKind::Filled => "it is demanded: filled where it is absent",
            LossKind::Replaced => "a value that the dialect does not know is replaced",
            LossKind::WrittenInvalid => "a value that the dialect refuses is written as it is",
            LossKind::ReadOtherwise => "in a log, one that names a reply without a start reads as another reply's",
            _ => "",
        };
        let what = if row.what.is_empty() { "the event".to_owned() } else { format!("`{}`", row.what) };
        let _ = writeln!(page, "| {} | {} | {what} | {becomes} |", row.dialect, row.of);
    }
    page
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_mapping_replaces_what_stands_between_the_marks_and_nothing_else() {
        let page = |table: &str| format!("# Coarse\n\n{}{table}{}\n\n## After\n", super::FROM, super::TO);
        assert_eq!(super::with_mapping(Ok(page("| old |\n"))), Ok(page(&replyfold_coarse::mapping_table())));
        assert_eq!(super::with_mapping(Ok("# Coarse\n".into())), Err("the mark `from here` is missing".to_owned()));
    }

    #[test]
    fn the_generated_pages_are_fresh() {
        assert_eq!(super::check(), super::Problems::new());
    }
}
