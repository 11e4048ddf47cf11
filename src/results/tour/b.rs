//! Chapter B: memory spaces.

use super::judges::{faster, longest, not_slower, right};
use super::rows::{Cannot, Rows, compared, is_faster, noisy, rate, speed, time};
use super::step::{Answer, Step, Told};
use crate::record::stats::{self, Estimate};
use crate::results::findings::{Draft, byte_rate};
use crate::suite::Api;

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "B1",
        title: "the memory spaces",
        claim: "Registers are faster than shared memory, and shared memory is faster than global memory.",
        kernels: &[
            "memory_spaces/register_bandwidth",
            "memory_spaces/workgroup_bandwidth",
            "memory_spaces/workgroup_latency",
            "memory_spaces/storage_latency",
            "memory_spaces/pinned_latency",
            "cache_curve/latency",
        ],
        terms: &["register", "local memory", "__shared__", "__constant__", "texture", "global memory"],
        prediction: || {
            "Registers have the highest rate; a dependent load takes less time from shared memory than from global \
             memory, even where L1 holds the words."
                .to_owned()
        },
        table: SPACES_TABLE,
        judge: spaces,
        ..Step::BLANK
    },
    Step {
        id: "B2",
        title: "shared arrays start without a value",
        claim: "A shared array cannot be initialised where it is declared, and setting it in the kernel costs time.",
        kernels: &["workgroup_memory/zero_init", "safety_tax/workgroup_fill", "workgroup_memory/static_and_dynamic"],
        terms: &["__shared__", "extern __shared__"],
        prediction: || {
            "CUDA leaves the array as it is. WGSL has no initialiser either, but the API sets every word to zero. Each \
             takes time: the words are stored before the kernel begins."
                .to_owned()
        },
        judge: zeroing,
        ..Step::BLANK
    },
    Step {
        id: "B3",
        title: "three arrays in one shared block",
        claim: "One block of shared memory holds three arrays of different types, divided by hand at byte offsets.",
        kernels: &["workgroup_memory/carved", "workgroup_memory/structured"],
        terms: &["extern __shared__"],
        prediction: || {
            "The same answers as with a struct: 128 × i16 at 0, 64 × f32 at 256, 256 × i32 at 512.".to_owned()
        },
        is_timing: false,
        judge: |rows, _| {
            right(rows, &["workgroup_memory/carved", "workgroup_memory/structured"], |rows| {
                format!("All {} cases give the right answer, divided by hand and as a struct.", rows.len())
            })
        },
        ..Step::BLANK
    },
    Step {
        id: "B4",
        title: "rows padded to the pitch",
        claim: "Rows padded to the device's pitch are read faster than packed rows of an odd width.",
        kernels: &["pitched/rows_2d", "pitched/copy_2d"],
        terms: &["cudaMallocPitch()", "cudaMemcpy2D()"],
        prediction: || {
            "Every padded row starts at a multiple of 256 bytes, so that no warp reads a sector more.".to_owned()
        },
        judge: |rows, draft| padded(rows, draft, "pitched/rows_2d", "pitched/copy_2d"),
        ..Step::BLANK
    },
    Step {
        id: "B5",
        title: "slices padded to the pitch",
        claim: "In three dimensions, rows padded to the pitch are read faster than packed rows.",
        kernels: &["pitched/slices_3d", "pitched/copy_3d"],
        terms: &["cudaMallocPitch()", "cudaMemcpy3D()"],
        prediction: || "As in B4; a slice is pitch × height bytes.".to_owned(),
        judge: |rows, draft| padded(rows, draft, "pitched/slices_3d", "pitched/copy_3d"),
        ..Step::BLANK
    },
    Step {
        id: "B6",
        title: "copies between memory and texture",
        claim: "A 2-D copy moves rows with a pitch between linear memory and an array or texture.",
        kernels: &["pitched/buffer_to_texture", "pitched/texture_to_buffer"],
        terms: &["cudaMemcpy2D()", "cudaArray"],
        prediction: || "Both ways give back every word. WebGPU asks for rows of a multiple of 256 bytes.".to_owned(),
        is_timing: false,
        judge: texture_copies,
        ..Step::BLANK
    },
    Step {
        id: "B7",
        title: "pageable and pinned host memory",
        claim: "Copies to the device are faster from pinned than from pageable host memory.",
        kernels: &[
            "transfer/mapped_staging",
            "transfer/write_buffer",
            "transfer/read_back",
            "transfer/read_back_pageable",
        ],
        terms: &["cudaMallocHost()", "cudaMemcpy() to the device", "cudaMemcpy() to the host"],
        prediction: || "The bus is the same; pageable memory is first copied into a pinned buffer.".to_owned(),
        judge: pinned,
        ..Step::BLANK
    },
    Step {
        id: "B8",
        title: "tables in constant memory",
        claim: "A table in constant memory is fast if all threads read one element, and slow if each reads its own.",
        kernels: &["memory_spaces/table_uniform", "memory_spaces/table_const", "memory_spaces/table_storage"],
        terms: &["__constant__", "__constant__ with values", "cudaMemcpyToSymbol()"],
        prediction: || {
            "The constant cache serves one address at a time: up to 32 for a warp that reads 32 elements, so 1/32 of \
             the rate at worst."
                .to_owned()
        },
        judge: tables,
        ..Step::BLANK
    },
    Step {
        id: "B9",
        title: "an image rotated by the texture unit",
        claim: "The texture unit filters and wraps coordinates in hardware, faster than a kernel that does so itself.",
        kernels: &[
            "texture/rotate_sampled_float",
            "texture/rotate_by_hand_float",
            "texture/rotate_sampled",
            "texture/rotate_by_hand",
        ],
        terms: &["tex2D()", "cudaTextureObject_t"],
        prediction: || "By hand, each pixel takes four loads and the weights of a bilinear filter.".to_owned(),
        judge: |rows, draft| {
            let angle = &[("ANGLE", 30.0)][..];
            let mut judged = |sampled, by_hand| {
                let sampled = ((sampled, angle), "filtering in the texture unit");
                faster(rows, draft, sampled, ((by_hand, angle), "filtering in the kernel"))
            };
            // The article's picture has one channel of f32; older reports have none, and not every device filters it.
            judged("texture/rotate_sampled_float", "texture/rotate_by_hand_float")
                .or_else(|_| judged("texture/rotate_sampled", "texture/rotate_by_hand"))
        },
        ..Step::BLANK
    },
    Step {
        id: "B10",
        title: "setting device memory",
        claim: "Device memory has no initial value; the API's own call sets it as fast as a kernel does.",
        kernels: &["transfer/clear_buffer", "ceiling/fill"],
        terms: &["cudaMalloc()", "cudaMemset()"],
        prediction: || {
            "1×: both are limited by the write bandwidth. WebGPU also sets every new buffer to zero.".to_owned()
        },
        judge: setting,
        ..Step::BLANK
    },
];

const NONE: &[(&str, f64)] = &[];

const SPACES_TABLE: &str = "  space     location     cached in       access                      lifetime
  register  SM           -               one thread, read and write  thread
  local     device DRAM  L1, L2          one thread, read and write  thread
  shared    SM           -               one block, read and write   block
  constant  device DRAM  constant cache  threads read, host sets     until freed
  texture   device DRAM  L1, L2          threads read, host sets     until freed
  global    device DRAM  L1, L2          all threads and host        until freed
  host      host DRAM    host's caches   host                        until freed
  pinned    host DRAM    host's caches   host; threads over the bus  until freed";

/// Spaces by the names of their benchmarks: `workgroup_latency`.
const SPACES: [(&str, &str); 7] = [
    ("register", "register"),
    ("private", "local"),
    ("workgroup", "shared"),
    ("uniform", "constant"),
    ("texture", "texture"),
    ("storage", "global"),
    ("pinned", "pinned"),
];

fn spaces(rows: &Rows, draft: &mut Draft) -> Told {
    let kernel = |space: &str, of: &str| format!("memory_spaces/{space}_{of}");
    let read = |space: &str| -> Result<Estimate, Cannot> {
        let kernel = kernel(space, "bandwidth");
        byte_rate(longest(rows, (&kernel, NONE))?).ok_or_else(|| rows.missing(&[&kernel]))
    };
    let missing = || Cannot::new("the rows have no interval");
    let registers = stats::ratio(read("register")?, read("workgroup")?).ok_or_else(missing)?;
    let [shared, global] =
        rows.together([("memory_spaces/workgroup_latency", NONE), ("memory_spaces/storage_latency", NONE)])?;
    let sooner = speed(shared, global)?;
    let holds = is_faster(registers)? && is_faster(sooner)?;
    let registers = compared(draft, "registers over shared", registers)?.replace(" as fast", " as fast to read");
    let sooner = compared(draft, "shared over global", sooner)?;
    let text = format!(
        "Registers are {registers} shared memory; dependent loads from shared memory are {sooner} those \
        from global memory."
    );
    let mut latency = |space: &str, name: &str| {
        let row = longest(rows, (&kernel(space, "latency"), NONE)).ok()?;
        let ns = time(row).ok()?;
        let steps = row.params.get("STEPS")?;
        let each = Estimate { value: ns.value / steps, low: ns.low / steps, high: ns.high / steps };
        Some(format!("{name} {}", draft.time(format!("{name} latency"), each)?))
    };
    let latencies: Vec<String> = SPACES.iter().filter_map(|(space, name)| latency(space, name)).collect();
    let mut read =
        |space: &str, name: &str| rate(draft, name, longest(rows, (&kernel(space, "bandwidth"), NONE)).ok()?);
    let rates: Vec<String> = SPACES.iter().filter_map(|(space, name)| read(space, name)).collect();
    let lists = [("latency", latencies), ("read rate", rates)];
    let figures = lists.map(|(name, list)| (!list.is_empty()).then(|| format!("{name} of {}", list.join(", "))));
    let figures = figures.into_iter().flatten().collect::<Vec<_>>().join("; ");
    Ok(Answer::new(holds, text).with([Some(figures)]))
}

fn zeroing(rows: &Rows, draft: &mut Draft) -> Told {
    const KERNEL: &str = "workgroup_memory/zero_init";
    let [set, left] = rows.together([(KERNEL, &[("ZEROING", 1.0)]), (KERNEL, &[("ZEROING", 0.0)])])?;
    let longer = speed(left, set)?;
    let holds = is_faster(longer)?;
    let quoted = draft.times("set by the kernel", longer).ok_or_else(|| noisy("the ratio is", longer))?;
    let text = format!("The kernel takes {quoted} as long if it sets 16 KiB first.");
    let by_api = rows.together([(KERNEL, &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)]), (KERNEL, &[("ZEROING", 0.0)])]);
    let by_api = by_api.ok().and_then(|[set, left]| {
        let longer = speed(left, set).ok()?;
        Some(format!("{} as long if the API sets it", draft.times("set by the API", longer)?))
    });
    Ok(Answer::new(holds, text).with([by_api]))
}

fn padded(rows: &Rows, draft: &mut Draft, kernel: &str, copies: &str) -> Told {
    let pitched = ((kernel, &[("PITCHED", 1.0)][..]), "padded rows");
    let answer = faster(rows, draft, pitched, ((kernel, &[("PITCHED", 0.0)][..]), "packed rows"))?;
    let copies =
        longest(rows, (copies, NONE)).ok().and_then(|row| rate(draft, "copies to the driver's pitch and back", row));
    Ok(answer.with([copies]))
}

fn texture_copies(rows: &Rows, draft: &mut Draft) -> Told {
    const INTO: &str = "pitched/buffer_to_texture";
    const BACK: &str = "pitched/texture_to_buffer";
    let answer = right(rows, &[INTO, BACK], |rows| format!("All {} copies give back every word.", rows.len()))?;
    let mut figure = |name, kernel| {
        let row = longest(rows, (kernel, NONE)).ok().filter(|_| !rows.is_software())?;
        rate(draft, name, row)
    };
    let figures = [figure("to the texture", INTO), figure("back", BACK)];
    Ok(answer.with(figures))
}

fn pinned(rows: &Rows, draft: &mut Draft) -> Told {
    let is_cuda = rows.all().iter().any(|row| row.backend == Some(Api::Cuda));
    let (pinned, pageable) = if is_cuda {
        ("copies from pinned memory", "copies from pageable memory")
    } else {
        ("copies through a mapped staging buffer", "copies by `write_buffer`")
    };
    let staging = (("transfer/mapped_staging", NONE), pinned);
    let answer = faster(rows, draft, staging, (("transfer/write_buffer", NONE), pageable))?;
    let mut back = |name, kernel| rate(draft, name, longest(rows, (kernel, NONE)).ok()?);
    let through = if is_cuda { "back into pinned memory" } else { "back through a staging buffer" };
    let figures =
        [back(through, "transfer/read_back"), back("back into pageable memory", "transfer/read_back_pageable")];
    Ok(answer.with(figures))
}

fn tables(rows: &Rows, draft: &mut Draft) -> Told {
    const TABLE: &str = "memory_spaces/table_uniform";
    let (common, own) = (&[("EACH", 0.0)][..], &[("EACH", 1.0)][..]);
    let one = ((TABLE, common), "reads of one common element");
    let answer = faster(rows, draft, one, ((TABLE, own), "reads of an element for each thread"))?;
    let mut figure = |name: &str, kernel: &str, params| rate(draft, name, longest(rows, (kernel, params)).ok()?);
    let figures = [
        figure("global memory, one common element", "memory_spaces/table_storage", common),
        figure("an element for each thread", "memory_spaces/table_storage", own),
    ];
    Ok(answer.with(figures))
}

fn setting(rows: &Rows, draft: &mut Draft) -> Told {
    const CLEAR: &str = "transfer/clear_buffer";
    const FILL: &str = "ceiling/fill";
    // The kernel writes vec4s: the same number of bytes is another number of elements.
    let pairs = rows.timed((CLEAR, NONE)).filter_map(|clear| {
        let fill = rows.timed((FILL, NONE)).find(|fill| fill.bytes == clear.bytes && fill.bytes.is_some())?;
        Some((clear, fill))
    });
    let (clear, fill) = pairs.max_by_key(|(clear, _)| clear.bytes).ok_or_else(|| rows.missing(&[CLEAR, FILL]))?;
    if clear.timer != fill.timer {
        return Err(Cannot::new("the rows are timed by different clocks"));
    }
    not_slower(draft, (clear, "the API's call"), (fill, "a fill kernel"))
}
