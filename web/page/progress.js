// The progress of a run and the time that is left.

import { byId } from "./element.js";

export function startProgress() {
    let cases = 0;
    let done = 0;
    let start = 0;
    /** Milliseconds that the tab was hidden in total, and the time since which it is hidden now. */
    let hidden = 0;
    let hiddenSince = null;

    /** The time left, from the time of the finished cases. */
    function left() {
        if (hiddenSince !== null) return "paused while the tab is hidden";
        if (done < 3) return `${done} of ${cases}`;
        const seconds = (((performance.now() - start - hidden) / done) * (cases - done)) / 1000;
        const text = seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
        return `${done} of ${cases} · about ${text} left`;
    }

    function draw() {
        byId("bar").max = Math.max(1, cases);
        byId("bar").value = done;
        byId("left").textContent = left();
    }

    /** Announces a sentence to screen readers. */
    const announce = (sentence) => {
        byId("announcement").textContent = sentence;
    };

    return {
        show: (sentence) => {
            byId("case").textContent = sentence;
            announce(sentence);
        },
        begin(count) {
            [cases, done, start, hidden] = [count, 0, performance.now(), 0];
            byId("progress").hidden = false;
            byId("case").textContent = "Testing the clock …";
            announce(`Running ${count} cases.`);
            draw();
        },
        start(name) {
            byId("case").textContent = name;
            draw();
        },
        finish() {
            done += 1;
            // Ten announcements per run: more would disturb.
            if (done % Math.ceil(cases / 10) === 0) announce(left());
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
            announce(sentence);
        },
    };
}
