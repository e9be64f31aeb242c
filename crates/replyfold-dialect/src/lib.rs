//! The Java and Python wire formats of AgentScope events and messages: reading, writing, detection, loss reports.
