//! The tools of an agent, by name, with their schemas.

use crate::error::BuildError;
use crate::model::ToolSpec;
use crate::tool::Tool;
use jsonschema::Validator;
use serde_json::{Map, Value};
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Toolkit(Vec<Entry>);

/// A tool that is ready.
pub(crate) struct Entry {
    pub(crate) spec: ToolSpec,
    pub(crate) tool: Arc<dyn Tool>,
    validator: Validator,
}

impl Toolkit {
    pub(crate) fn new(tools: Vec<Arc<dyn Tool>>) -> Result<Self, BuildError> {
        let mut entries: Vec<Entry> = Vec::new();
        for tool in tools {
            let spec = tool.spec();
            if entries.iter().any(|entry| entry.spec.name == spec.name) {
                return Err(BuildError::SameName(spec.name));
            }
            let validator = jsonschema::validator_for(&spec.parameters)
                .map_err(|err| BuildError::Schema { tool: spec.name.clone(), reason: err.to_string() })?;
            entries.push(Entry { spec, tool, validator });
        }
        Ok(Self(entries))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.spec.name == name)
    }

    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.0.iter().map(|entry| entry.spec.clone()).collect()
    }
}

impl Entry {
    /// Why arguments do not fit the schema; the first thing that does not.
    pub(crate) fn misfit(&self, arguments: &Map<String, Value>) -> Option<String> {
        let arguments = Value::Object(arguments.clone());
        let error = self.validator.iter_errors(&arguments).next()?;
        let path = error.instance_path.to_string();
        let place = if path.is_empty() { "$".to_owned() } else { format!("${}", path.replace('/', ".")) };
        Some(format!("Input validation failed for tool '{}': {error} (at {place})", self.spec.name))
    }
}
