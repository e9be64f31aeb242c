//! Folds the events of an agent's reply into one message, at any prefix.
