//! What a snapshot says, before it is written: a tree, so that two of them can be compared.

use crate::quote::{lines, quoted};

/// A part of what a snapshot says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A word, a mark, a number or JSON: written as it is.
    Plain(String),
    /// Text of a person, a model or a tool.
    Text(String),
    /// Named parts, in the order in which they are written.
    Map(Vec<(&'static str, Node)>),
    /// Parts in their order.
    List(Vec<Node>),
}

impl Node {
    /// The tree in lines.
    pub(crate) fn to_lines(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Map(entries) => write_entries(entries, 0, &mut out),
            other => {
                out.push_str(&other.to_flow());
                out.push('\n');
            }
        }
        out
    }

    /// The tree in one line.
    pub(crate) fn to_flow(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Text(text) => quoted(text),
            Self::Map(entries) => {
                let entries: Vec<String> = entries.iter().map(|(key, node)| format!("{key}: {}", node.to_flow())).collect();
                format!("{{{}}}", entries.join(", "))
            }
            Self::List(items) => format!("[{}]", items.iter().map(Self::to_flow).collect::<Vec<_>>().join(", ")),
        }
    }
}

fn indent(depth: usize, out: &mut String) {
    (0..depth).for_each(|_| out.push_str("  "));
}

fn write_entries(entries: &[(&'static str, Node)], depth: usize, out: &mut String) {
    for (index, (key, node)) in entries.iter().enumerate() {
        // The first entry of a list's item stands behind its dash.
        if index > 0 || out.is_empty() || out.ends_with('\n') {
            indent(depth, out);
        }
        out.push_str(key);
        out.push(':');
        write_value(node, depth, out);
    }
}

/// Writes what stands behind a key or a dash, and ends the line.
fn write_value(node: &Node, depth: usize, out: &mut String) {
    match node {
        Node::Map(entries) if !entries.is_empty() => {
            out.push('\n');
            write_entries(entries, depth + 1, out);
        }
        Node::List(items) if !items.is_empty() => {
            out.push('\n');
            items.iter().for_each(|item| write_item(item, depth, out));
        }
        Node::Text(text) => match lines(text) {
            Some((header, lines)) => {
                out.push(' ');
                out.push_str(header);
                for line in lines {
                    out.push('\n');
                    if !line.is_empty() {
                        indent(depth + 1, out);
                        out.push_str(line);
                    }
                }
                out.push('\n');
            }
            None => {
                out.push(' ');
                out.push_str(&quoted(text));
                out.push('\n');
            }
        },
        Node::Plain(_) | Node::Map(_) | Node::List(_) => {
            out.push(' ');
            out.push_str(&node.to_flow());
            out.push('\n');
        }
    }
}

fn write_item(item: &Node, depth: usize, out: &mut String) {
    indent(depth, out);
    out.push('-');
    match item {
        Node::Map(entries) if !entries.is_empty() => {
            out.push(' ');
            write_entries(entries, depth + 1, out);
        }
        other => write_value(other, depth, out),
    }
}

/// Places of the parts that are gone, if that is all that happened to a list: then the others did not change, they only moved up.
fn withdrawn(before: &[Node], after: &[Node]) -> Option<Vec<usize>> {
    if after.len() >= before.len() {
        return None;
    }
    let mut left = after.iter().peekable();
    let gone = before.iter().enumerate().filter(|(_, was)| left.next_if(|is| is == was).is_none()).map(|(index, _)| index).collect();
    left.peek().is_none().then_some(gone)
}

/// The changes that make `new` of `old`, a line each. The path of a part is that of the parts around it; one that is gone is counted as it was
/// in `old`.
pub(crate) fn changes(old: &Node, new: &Node, path: &str, out: &mut Vec<String>) {
    match (old, new) {
        (Node::Map(before), Node::Map(after)) => {
            let of = |list: &[(&'static str, Node)], key: &str| list.iter().find(|(name, _)| *name == key).map(|(_, node)| node.clone());
            let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            out.extend(before.iter().filter(|(key, _)| of(after, key).is_none()).map(|(key, _)| format!("- {}", at(key))));
            for (key, node) in after {
                match of(before, key) {
                    Some(was) => changes(&was, node, &at(key), out),
                    None => out.push(format!("+ {} {}", at(key), node.to_flow())),
                }
            }
        }
        (Node::List(before), Node::List(after)) => {
            if let Some(gone) = withdrawn(before, after) {
                out.extend(gone.into_iter().map(|index| format!("- {path}[{index}]")));
                return;
            }
            before.iter().zip(after).enumerate().for_each(|(index, (was, is))| changes(was, is, &format!("{path}[{index}]"), out));
            out.extend(after.iter().enumerate().skip(before.len()).map(|(index, node)| format!("+ {path}[{index}] {}", node.to_flow())));
            out.extend((after.len()..before.len()).map(|index| format!("- {path}[{index}]")));
        }
        (Node::Text(was), Node::Text(is)) if was != is && is.starts_with(was.as_str()) => {
            out.push(format!("{path} += {}", quoted(is.get(was.len()..).unwrap_or_default())));
        }
        (was, is) if was != is => out.push(format!("{path} = {}", is.to_flow())),
        _ => {}
    }
}
