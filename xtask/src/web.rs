//! The timeline page in a real browser: the scrubber is moved with the keyboard, and the page is read at three places.

mod driver;

use crate::{Problems, cargo, files};
use driver::{Driver, Key};
use serde_json::{Value, json};
use std::fs;

const LOG: &str = "fixtures/conformance/python/runs/one_tool.events.jsonl";

/// What the page shows: position, state of the message, answer, entries, whether the timeline is open, spinners that turn.
const LOOK: &str = "\
    const article = document.querySelector('article');
    const items = [...article.querySelectorAll('li')];
    return {
        position: document.getElementById('position').textContent,
        state: article.className,
        content: article.querySelector('.content').textContent,
        entries: items.map((item) => item.className + ': ' + item.textContent),
        open: article.querySelector('details').open,
        spinners: items.filter((item) => getComputedStyle(item, '::after').animationName === 'turn').length,
        width: document.documentElement.scrollWidth <= document.documentElement.clientWidth,
        requests: performance.getEntriesByType('resource').length,
    };";

/// Records read, and what is seen then.
fn places() -> [(usize, Value); 3] {
    let seen = |position, state, content, entry, open, spinners| {
        json!({
            "position": position, "state": state, "content": content, "entries": [entry], "open": open, "spinners": spinners,
            "width": true, "requests": 0,
        })
    };
    [
        (9, seen("9 / 20", "streaming", "", "tool running: get_weather", true, 1)),
        (16, seen("16 / 20", "streaming", "It is 21°C in P", "tool completed: get_weather", true, 0)),
        (20, seen("20 / 20", "complete", "It is 21°C in Paris.", "tool completed: get_weather", false, 0)),
    ]
}

pub(crate) fn check() -> Problems {
    look().unwrap_or_else(|problem| vec![problem])
}

fn look() -> Result<Problems, String> {
    let page = cargo::output(&["run", "--quiet", "-p", "replyfold-cli", "--", "timeline", LOG, "--format", "html"])?;
    let folder = files::root().join("target").join(format!("web-{}", std::process::id()));
    let result = fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join("page.html"), page))
        .map_err(|err| format!("{}: {err}", folder.display()))
        .and_then(|()| {
            in_browser(&format!("file://{}", folder.join("page.html").display()), &folder.join("profile").display().to_string())
        });
    // What is left over lies in the target folder.
    let _ = fs::remove_dir_all(&folder);
    result
}

fn in_browser(url: &str, profile: &str) -> Result<Problems, String> {
    let mut driver = Driver::start(profile)?;
    driver.open(url)?;
    let scrubber = driver.find("#scrubber")?;
    let mut problems = Problems::new();
    for (records, wanted) in places() {
        let keys: Vec<Key> = std::iter::once(Key::Home).chain(std::iter::repeat_n(Key::Right, records)).collect();
        driver.press(&scrubber, &keys)?;
        let seen = driver.run(LOOK)?;
        println!("after {records} records: {seen}");
        if seen != wanted {
            problems.push(format!("the page shows this after {records} records:\n{seen}\nand not this:\n{wanted}"));
        }
    }
    Ok(problems)
}
