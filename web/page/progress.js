// How far a run is, and what is left.

import { byId } from "./element.js";

export function startProgress() {
    let cases = 0;
    let done = 0;
    let began = 0;
    /** Milliseconds that the tab was hidden, and since when it is. */
    let hidden = 0;
    let hiddenSince = null;

    /** The time left, from what the cases so far took. */
    function left() {
        if (hiddenSince !== null) return "paused while the tab is hidden";
        if (done < 3) return `${done} of ${cases}`;
        const seconds = (performance.now() - began - hidden) / done * (cases - done) / 1000;
        const text = seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
        return `${done} of ${cases} · about ${text} left`;
    }

    function draw() {
        byId("bar").max = Math.max(1, cases);
        byId("bar").value = done;
        byId("left").textContent = left();
    }

    /** Says something to who listens rather than looks. */
    const say = (sentence) => { byId("said").textContent = sentence; };

    return {
        say: (sentence) => { byId("case").textContent = sentence; say(sentence); },
        begin(count) {
            [cases, done, began, hidden] = [count, 0, performance.now(), 0];
            byId("progress").hidden = false;
            byId("case").textContent = "Testing the clock …";
            say(`Running ${count} cases.`);
            draw();
        },
        start(name) {
            byId("case").textContent = name;
            draw();
        },
        finish() {
            done += 1;
            // Every tenth of the way: more would drown a listener.
            if (done % Math.ceil(cases / 10) === 0) say(left());
            draw();
        },
        pause(isHidden) {
            if (isHidden) hiddenSince ??= performance.now();
            else if (hiddenSince !== null) {
                hidden += performance.now() - hiddenSince;
                hiddenSince = null;
            }
            draw();
        },
        end(sentence) {
            byId("case").textContent = sentence;
            byId("left").textContent = "";
            byId("bar").value = byId("bar").max;
            say(sentence);
        },
    };
}
