//! Pages that are made from the code: the reference of the wire, what dialects cannot carry, the notes of the fold.

use crate::{Problems, files};
use replyfold_dialect::{CANNOT_CARRY, LossKind};
use replyfold_event::{EventType, ExtensionType, FieldInfo};
use std::fmt::Write;
use std::fs;

const STAMP: &str = "<!-- made by `cargo xtask gen`; change the code it is made from, not this page -->\n\n";

/// Every generated page with its text.
fn pages() -> [(&'static str, String); 2] {
    [("docs/wire/events.md", events()), ("docs/wire/losses.md", losses())]
}

pub(crate) fn write() -> Problems {
    let mut problems = Problems::new();
    for (path, text) in pages() {
        match fs::write(files::root().join(path), text) {
            Ok(()) => println!("wrote {path}"),
            Err(err) => problems.push(format!("{path}: {err}")),
        }
    }
    problems
}

pub(crate) fn check() -> Problems {
    let stale = |(path, text): (&str, String)| match files::read(path) {
        Ok(found) if found == text => None,
        Ok(_) => Some(format!("{path} is stale; run `cargo xtask gen`")),
        Err(problem) => Some(format!("{problem}; run `cargo xtask gen`")),
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
    fn the_generated_pages_are_fresh() {
        assert_eq!(super::check(), super::Problems::new());
    }
}
