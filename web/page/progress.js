// The progress of a run, and the time left.

import { byId } from "./element.js";

export function startProgress() {
    /** Numbers of epochs: all, started, before the current one, and with rows. */
    let [epochs, started, done, finished] = [0, 0, 0, 0];
    /** When the run began, shifted by the time that the tab was hidden, and since when it is hidden now. */
    let start = 0;
    let hiddenSince = null;

    /** Estimated from the finished epochs. */
    function left() {
        if (hiddenSince !== null) return "paused while the tab is hidden";
        const percent = `${Math.floor((100 * done) / Math.max(1, epochs))} %`;
        if (done < 3) return percent;
        const seconds = (((performance.now() - start) / done) * (epochs - done)) / 1000;
        const text = seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
        return `${percent} · about ${text} left`;
    }

    function draw() {
        byId("bar").max = Math.max(1, epochs);
        byId("bar").value = done;
        byId("left").textContent = left();
    }

    /** Shows a sentence and announces it to screen readers. */
    function show(sentence) {
        byId("case").textContent = byId("announcement").textContent = sentence;
    }

    return {
        show,
        begin(count) {
            [epochs, started, done, finished, start] = [count, 0, 0, 0, performance.now()];
            byId("progress").hidden = false;
            show(`Running ${count} cases. Testing the clock …`);
            draw();
        },
        /** This many more epochs are expected. */
        expect(count) {
            epochs = Math.max(finished + count, started + 1);
            draw();
        },
        finish() {
            finished++;
        },
        start(name) {
            byId("case").textContent = name;
            [done, started] = [started, started + 1];
            epochs = Math.max(epochs, started);
            // Ten announcements per run: more would disturb.
            if (done > 0 && done % Math.ceil(epochs / 10) === 0) byId("announcement").textContent = left();
            draw();
        },
        pause(isHidden) {
            if (isHidden) hiddenSince ??= performance.now();
            else if (hiddenSince !== null) {
                start += performance.now() - hiddenSince;
                hiddenSince = null;
            }
            draw();
        },
        end(sentence) {
            show(sentence);
            byId("left").textContent = "";
            byId("bar").value = byId("bar").max;
        },
    };
}
