// A worker as functions that answer later.

/** Starts a worker. `tell` hears what it says without being asked, `fail` hears that it broke down. */
export function startCore(tell = () => {}, fail = () => {}) {
    const worker = new Worker("worker.js", { type: "module" });
    const open = new Map();
    let numbers = 0;
    const breakDown = (sentence) => {
        for (const { reject } of open.values()) reject(new Error(sentence));
        open.clear();
        fail(sentence);
    };
    worker.addEventListener("message", ({ data }) => {
        if (data.number === undefined) return tell(data.what, data.value);
        const call = open.get(data.number);
        open.delete(data.number);
        if (data.isFault) return call?.reject(new Error(BROKEN)), breakDown(BROKEN);
        if (data.error !== undefined) call?.reject(new Error(data.error));
        else call?.resolve(data.value);
    });
    worker.addEventListener("error", (event) => {
        event.preventDefault();
        breakDown(event.message ? `${BROKEN} (${event.message})` : "The page's program could not be loaded: reload the page, or use a current browser.");
    });
    return {
        call: (call, given) => new Promise((resolve, reject) => {
            open.set(++numbers, { resolve, reject });
            worker.postMessage({ number: numbers, call, given });
        }),
        end: () => worker.terminate(),
    };
}

const BROKEN = "The measuring program broke down, often for lack of memory: the rows so far are kept; reload the page to go on.";
