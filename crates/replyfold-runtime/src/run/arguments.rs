//! The arguments of a call: parsed, and repaired where that loses nothing.

use serde_json::{Map, Value};

/// Characters of wrong arguments that are quoted whole, and at each end of longer ones.
const QUOTED: usize = 200;
const QUOTED_END: usize = 100;

/// The arguments that this text stands for; else why not, in words that the model sees.
///
/// Nothing is `{}`. Text that was cut gets its closing marks if it is whole then, and values are made what the schema wants where there is only
/// one way to.
pub(super) fn parse(text: &str, schema: &Value) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let parsed = serde_json::from_str(text).or_else(|err| completed(text).and_then(|text| serde_json::from_str(&text).ok()).ok_or(err));
    match parsed {
        Ok(Value::Object(arguments)) => Ok(fitted(arguments, schema)),
        Ok(_) => Err(format!("The arguments are no JSON object: {}. Call the tool again with corrected arguments.", quoted(text))),
        Err(err) => {
            Err(format!("The arguments are no valid JSON ({err}): {}. Call the tool again with corrected arguments.", quoted(text)))
        }
    }
}

fn quoted(text: &str) -> String {
    let count = text.chars().count();
    if count <= QUOTED {
        return format!("`{text}`");
    }
    let first: String = text.chars().take(QUOTED_END).collect();
    let last: String = text.chars().skip(count - QUOTED_END).collect();
    format!("`{first} … {last}`")
}

/// The text with the marks that it lacks at its end; `None` if something else is wrong.
fn completed(text: &str) -> Option<String> {
    let (mut open, mut in_string, mut escaped) = (Vec::new(), false, false);
    for letter in text.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '{' if !in_string => open.push('}'),
            '[' if !in_string => open.push(']'),
            '}' | ']' if !in_string && open.pop() != Some(letter) => return None,
            _ => {}
        }
    }
    if open.is_empty() || escaped {
        return None;
    }
    let mut whole = if in_string { format!("{text}\"") } else { text.trim_end().trim_end_matches(',').to_owned() };
    whole.extend(open.iter().rev());
    Some(whole)
}

/// The same arguments, with values of the type that the schema demands.
fn fitted(arguments: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let wanted = |key: &str| schema["properties"][key]["type"].as_str().unwrap_or_default();
    arguments
        .into_iter()
        .map(|(key, value)| {
            let value = fit(value, wanted(&key));
            (key, value)
        })
        .collect()
}

fn fit(value: Value, wanted: &str) -> Value {
    let from_text = |text: &str, is_wanted: fn(&Value) -> bool| serde_json::from_str(text).ok().filter(is_wanted);
    let other = match (&value, wanted) {
        (Value::Number(_) | Value::Bool(_), "string") => Some(Value::String(value.to_string())),
        (Value::String(text), "integer") => from_text(text.trim(), |value| value.is_i64() || value.is_u64()),
        (Value::String(text), "number") => from_text(text.trim(), Value::is_number),
        (Value::String(text), "boolean") => from_text(text.trim(), Value::is_boolean),
        (Value::String(text), "array") => from_text(text, Value::is_array),
        (Value::String(text), "object") => from_text(text, Value::is_object),
        _ => None,
    };
    other.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(text: &str) -> Option<Value> {
        let schema = json!({"properties": {"s": {"type": "string"}, "n": {"type": "integer"}, "l": {"type": "array"}}});
        parse(text, &schema).ok().map(Value::Object)
    }

    #[test]
    fn b023_nothing_is_an_empty_object_and_a_key_that_was_cut_is_wrong() {
        for text in ["", "  ", "\n", "{}"] {
            assert_eq!(parsed(text), Some(json!({})));
        }
        assert_eq!(parsed("{\"q\""), None);
        assert_eq!(parsed("{\"q\":"), None);
    }

    #[test]
    fn only_marks_that_lack_are_added() {
        assert_eq!(parsed("{\"x\": \"1\""), Some(json!({"x": "1"})));
        assert_eq!(parsed("{\"x\": [1, {\"y\": \"a\\\"b"), Some(json!({"x": [1, {"y": "a\"b"}]})));
        assert_eq!(parsed("{\"x\": 1,"), Some(json!({"x": 1})));
        for text in [
            "{\"x\": 1}}",
            "{\"x\": tru",
            "nonsense",
            "[1,2]",
            "{\"x\": NaN}",
            "{\"x\": Infinity}",
            "{\"x\": 1]",
            "\"text\"",
            "{\"x\": \"\\",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn values_become_what_the_schema_wants_where_there_is_one_way() {
        assert_eq!(parsed("{\"s\": 5, \"n\": \"7\", \"l\": \"[1]\"}"), Some(json!({"s": "5", "n": 7, "l": [1]})));
        assert_eq!(parsed("{\"s\": [5], \"n\": \"7.5\", \"l\": \"x\"}"), Some(json!({"s": [5], "n": "7.5", "l": "x"})));
    }

    #[test]
    fn long_arguments_are_quoted_by_their_ends() {
        let text = format!("{}é{}", "a".repeat(150), "b".repeat(150));
        let told = parse(&text, &Value::Null).unwrap_err();
        assert!(told.contains(&format!("`{} … {}`", "a".repeat(100), "b".repeat(100))), "{told}");
    }
}
