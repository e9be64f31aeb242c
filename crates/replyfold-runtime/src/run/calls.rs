//! Tool calls out of the pieces that a provider sends: which call a piece belongs to, and ids that are unique.
//!
//! Of what tells the call, an id that is known is trusted first, then an index that was met, then the call that was opened last; only a name
//! opens one (reports B017 to B032).

use crate::model::CallFragment;
use replyfold_message::ToolCallId;
use serde_json::value::RawValue;
use std::collections::HashSet;

/// The calls of one answer.
#[derive(Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// Pieces that came before anything told their call's name, by index.
    unnamed: Vec<CallFragment>,
    /// The call that got the last piece.
    last: usize,
}

/// A call while it comes.
pub(super) struct Call {
    pub(super) id: ToolCallId,
    pub(super) name: String,
    /// The arguments so far, a lone `{}` that is held back included.
    text: String,
    /// Whether `text` is a `{}` that was not told yet: the real arguments may follow.
    is_held: bool,
    /// The provider's id of it, and its index.
    told: Option<String>,
    index: Option<u64>,
    pub(super) is_open: bool,
}

/// What a piece comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The call with this number begins, or is taken up again.
    Start(usize),
    /// A piece of its arguments.
    Piece(usize, String),
}

impl Calls {
    /// Takes a piece; `taken` are the ids that calls have.
    pub(super) fn push(&mut self, fragment: CallFragment, taken: &mut HashSet<ToolCallId>) -> Vec<Step> {
        let mut steps = Vec::new();
        let name = fragment.name.clone().filter(|name| !name.is_empty());
        let number = match (self.target(&fragment, name.as_deref()), name) {
            (Some(number), _) => number,
            (None, Some(name)) => {
                let number = self.open(&fragment, name, taken);
                steps.push(Step::Start(number));
                // What came before its name.
                let index = fragment.index;
                let (early, rest) = std::mem::take(&mut self.unnamed).into_iter().partition(|early| early.index == index);
                self.unnamed = rest;
                for early in early {
                    self.add(number, &early.arguments, &mut steps);
                }
                number
            }
            (None, None) => {
                // Nothing tells whose piece it is, yet: never a call of its own.
                self.unnamed.push(fragment);
                return steps;
            }
        };
        self.last = number;
        self.add(number, &fragment.arguments, &mut steps);
        steps
    }

    /// The call that a piece goes on with; `None` if it opens one, or belongs to none that is known.
    fn target(&self, fragment: &CallFragment, name: Option<&str>) -> Option<usize> {
        let id = fragment.id.as_deref().filter(|id| !id.is_empty());
        let of_id = |id: &str| self.calls.iter().rposition(|call| call.told.as_deref() == Some(id));
        let of_index = |index: u64| self.calls.iter().rposition(|call| call.index == Some(index));
        let known = id.and_then(of_id);
        let Some(name) = name else {
            let last = (!self.calls.is_empty()).then_some(self.last);
            // An index that was never met is that of a call whose name is still to come.
            return known.or_else(|| match fragment.index {
                Some(index) => of_index(index).or(last.filter(|_| self.calls.iter().all(|call| call.index.is_none()))),
                None => last,
            });
        };
        let goes_on = |number: usize| {
            let call = self.calls.get(number)?;
            let is_elsewhere = fragment.index.is_some() && call.index.is_some() && fragment.index != call.index;
            // A name that is repeated goes on with arguments that are not whole; pieces without arguments change nothing.
            let is_same = call.name == name && !is_elsewhere && (!call.is_whole() || fragment.arguments.is_empty() && known.is_some());
            is_same.then_some(number)
        };
        match (known, id) {
            (Some(number), _) => goes_on(number),
            // A new id with a name is a new call, whatever its index: some servers give every call the same.
            (None, Some(_)) => None,
            (None, None) => match fragment.index {
                Some(index) => of_index(index).and_then(goes_on),
                None => (!self.calls.is_empty()).then_some(self.last).and_then(goes_on),
            },
        }
    }

    fn open(&mut self, fragment: &CallFragment, name: String, taken: &mut HashSet<ToolCallId>) -> usize {
        let told = fragment.id.clone().filter(|id| !id.is_empty());
        let wanted = told.clone().unwrap_or_else(|| "call".to_owned());
        let mut id = ToolCallId::new(&wanted);
        let mut count = 1_u64;
        while !taken.insert(id.clone()) {
            count += 1;
            id = ToolCallId::new(&format!("{wanted}~{count}"));
        }
        self.calls.push(Call { id, name, text: String::new(), is_held: false, told, index: fragment.index, is_open: false });
        self.calls.len() - 1
    }

    fn add(&mut self, number: usize, text: &str, steps: &mut Vec<Step>) {
        let Some(call) = self.calls.get_mut(number) else { return };
        if text.is_empty() {
            return;
        }
        if call.is_held {
            call.is_held = false;
            if text.trim_start().starts_with('{') {
                // The placeholder gives way to the real arguments.
                call.text.clear();
            } else {
                steps.push(Step::Piece(number, call.text.clone()));
            }
        } else if !call.is_open && call.is_whole() && !steps.contains(&Step::Start(number)) {
            // A stray piece behind the end of a call that was closed.
            return;
        }
        if call.text.is_empty() && text.trim() == "{}" {
            call.is_held = true;
            call.text.push_str(text);
            return;
        }
        if !call.is_open && !steps.contains(&Step::Start(number)) {
            steps.push(Step::Start(number));
        }
        call.text.push_str(text);
        steps.push(Step::Piece(number, text.to_owned()));
    }

    pub(super) fn get(&self, number: usize) -> Option<&Call> {
        self.calls.get(number)
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut Call> {
        self.calls.get_mut(number)
    }

    /// The calls that are open, in their order; what is held back of them is given out.
    pub(super) fn close(&mut self) -> Vec<(ToolCallId, Option<String>)> {
        let close = |call: &mut Call| {
            call.is_open = false;
            (call.id.clone(), std::mem::take(&mut call.is_held).then(|| call.text.clone()))
        };
        self.calls.iter_mut().filter(|call| call.is_open).map(close).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether pieces came of calls that never got a name.
    pub(super) fn has_unnamed(&self) -> bool {
        self.unnamed.iter().any(|piece| !piece.arguments.is_empty() || piece.id.is_some())
    }
}

impl Call {
    /// Whether the arguments are a whole JSON value.
    fn is_whole(&self) -> bool {
        !self.is_held && serde_json::from_str::<&RawValue>(&self.text).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(index: Option<u64>, id: &str, name: &str, arguments: &str) -> CallFragment {
        CallFragment {
            index,
            id: (!id.is_empty()).then(|| id.to_owned()),
            name: (!name.is_empty()).then(|| name.to_owned()),
            arguments: arguments.to_owned(),
        }
    }

    /// The calls, id, name and arguments, as the steps tell them.
    fn calls(pieces: Vec<CallFragment>) -> Vec<(String, String, String)> {
        let (mut calls, mut taken) = (Calls::default(), HashSet::new());
        let mut told: Vec<(String, String, String)> = Vec::new();
        for piece in pieces {
            for step in calls.push(piece, &mut taken) {
                match step {
                    Step::Start(number) => {
                        let call = calls.get_mut(number).unwrap();
                        assert!(!std::mem::replace(&mut call.is_open, true));
                        if number == told.len() {
                            told.push((call.id.to_string(), call.name.clone(), String::new()));
                        }
                    }
                    Step::Piece(number, text) => told[number].2.push_str(&text),
                }
            }
        }
        assert!(!calls.has_unnamed());
        for (id, held) in calls.close() {
            told.iter_mut().find(|(known, _, _)| *known == id.to_string()).unwrap().2.push_str(&held.unwrap_or_default());
        }
        told
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn b017_pieces_without_id_and_index_go_on_with_the_call_that_was_opened_last() {
        let pieces = vec![
            piece(None, "A", "f", ""),
            piece(None, "", "", "{\"x\":"),
            piece(None, "", "", "1}"),
            piece(None, "B", "g", ""),
            piece(None, "", "", "{\"y\":2}"),
        ];
        assert_eq!(calls(pieces), [call("A", "f", "{\"x\":1}"), call("B", "g", "{\"y\":2}")]);
    }

    #[test]
    fn b019_a_fresh_id_without_a_name_opens_no_call() {
        let pieces = vec![piece(Some(0), "c1", "run", ""), piece(Some(0), "c2", "", "{"), piece(Some(0), "c3", "", "}")];
        assert_eq!(calls(pieces), [call("c1", "run", "{}")]);
    }

    #[test]
    fn b020_a_name_that_is_repeated_goes_on_with_a_call_that_is_not_whole() {
        for index in [Some(0), None] {
            let pieces = vec![piece(index, "A", "f", "{\"x\":1"), piece(index, "", "f", "}")];
            assert_eq!(calls(pieces), [call("A", "f", "{\"x\":1}")]);
        }
        // Id and name with every piece.
        let pieces = vec![
            piece(Some(0), "A", "f", ""),
            piece(Some(0), "A", "f", "{\"x\""),
            piece(Some(0), "A", "f", ":1}"),
            piece(Some(0), "A", "f", ""),
        ];
        assert_eq!(calls(pieces), [call("A", "f", "{\"x\":1}")]);
    }

    #[test]
    fn b022_a_placeholder_gives_way_and_pieces_of_parallel_calls_find_theirs() {
        let pieces = vec![
            piece(Some(0), "A", "f", "{}"),
            piece(Some(1), "B", "g", ""),
            piece(Some(0), "", "", "{\"p\":1}"),
            piece(Some(1), "", "", "{\"q\":2}"),
        ];
        assert_eq!(calls(pieces), [call("A", "f", "{\"p\":1}"), call("B", "g", "{\"q\":2}")]);
        assert_eq!(calls(vec![piece(Some(0), "A", "f", "{}")]), [call("A", "f", "{}")]);
    }

    #[test]
    fn b026_two_whole_calls_at_once_keep_their_arguments() {
        let pieces = vec![piece(Some(0), "A", "f", "{\"x\":1}"), piece(Some(1), "B", "g", "{\"y\":2}")];
        assert_eq!(calls(pieces), [call("A", "f", "{\"x\":1}"), call("B", "g", "{\"y\":2}")]);
        // Of a server that gives every call the index 0 and no id.
        let pieces = vec![piece(Some(0), "", "f", "{\"x\":1}"), piece(Some(0), "", "f", "{\"x\":2}"), piece(Some(0), "", "g", "{}")];
        assert_eq!(calls(pieces), [call("call", "f", "{\"x\":1}"), call("call~2", "f", "{\"x\":2}"), call("call~3", "g", "{}")]);
    }

    #[test]
    fn b028_a_second_call_with_the_id_of_the_first_gets_one_of_its_own() {
        let pieces = vec![piece(None, "x", "eval", "{\"n\":1}"), piece(None, "x", "eval", "{\"n\":2}")];
        assert_eq!(calls(pieces), [call("x", "eval", "{\"n\":1}"), call("x~2", "eval", "{\"n\":2}")]);
        let pieces = vec![
            piece(Some(0), "x", "eval", ""),
            piece(Some(1), "x", "eval", ""),
            piece(Some(0), "", "", "{}"),
            piece(Some(1), "", "", "{\"n\":2}"),
        ];
        assert_eq!(calls(pieces), [call("x", "eval", "{}"), call("x~2", "eval", "{\"n\":2}")]);
    }

    #[test]
    fn b029_a_stray_piece_behind_the_end_of_a_call_is_none() {
        let (mut calls, mut taken) = (Calls::default(), HashSet::new());
        calls.push(piece(Some(0), "t1", "f", "{\"a\":1}"), &mut taken);
        calls.get_mut(0).unwrap().is_open = true;
        calls.close();
        assert_eq!(calls.push(piece(Some(0), "", "", "}"), &mut taken), []);
        // One that was cut by text between goes on.
        calls.push(piece(Some(1), "t2", "f", "{\"a\":"), &mut taken);
        calls.get_mut(1).unwrap().is_open = true;
        calls.close();
        assert_eq!(calls.push(piece(Some(1), "", "", "1}"), &mut taken), [Step::Start(1), Step::Piece(1, "1}".to_owned())]);
    }

    #[test]
    fn a_name_that_comes_late_gets_what_came_before() {
        let pieces = vec![piece(Some(0), "A", "f", ""), piece(Some(1), "B", "", "{\"y\""), piece(Some(1), "", "g", ":2}")];
        assert_eq!(calls(pieces), [call("A", "f", ""), call("call", "g", "{\"y\":2}")]);
    }

    #[test]
    fn ids_are_unique_in_the_whole_context() {
        let mut taken = HashSet::from([ToolCallId::new("c1"), ToolCallId::new("c1~2")]);
        let mut calls = Calls::default();
        calls.push(piece(None, "c1", "f", ""), &mut taken);
        assert_eq!(calls.get(0).unwrap().id, *"c1~3");
    }
}
