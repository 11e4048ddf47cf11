//! The gain of padded rows, and the rates of copies to and from textures.

use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "gain from padded rows", state: padding }),
    Claim::Measured(Measured { name: "copies to and from textures", state: copies }),
    Claim::Article(ArticleClaim {
        id: "B4",
        title: "rows padded to the pitch",
        claim: "The article allocates rows with a pitch, so that each row starts at an aligned address.",
        kernels: &["pitched/rows_2d", "pitched/copy_2d"],
        terms: &["cudaMallocPitch()", "cudaMemcpy2D()"],
        prediction: "Every padded row starts at a multiple of 256 bytes, so no warp reads an extra sector.",
        judge: Judge::Report(|rows, facts| padded(rows, facts, "pitched/rows_2d", "pitched/copy_2d")),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B5",
        title: "slices padded to the pitch",
        claim: "In three dimensions, the article's slices are pitch × height bytes apart.",
        kernels: &["pitched/slices_3d", "pitched/copy_3d"],
        terms: &["cudaMallocPitch()", "cudaMemcpy3D()"],
        prediction: "As in B4, no warp reads an extra sector.",
        judge: Judge::Report(|rows, facts| padded(rows, facts, "pitched/slices_3d", "pitched/copy_3d")),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B6",
        title: "copies between memory and texture",
        claim: "A 2-D copy moves rows with a pitch between linear memory and an array or texture.",
        kernels: &["pitched/buffer_to_texture", "pitched/texture_to_buffer"],
        terms: &["cudaMemcpy2D()", "cudaArray"],
        prediction: "Copies in both directions preserve every word. WebGPU requires row pitches that are multiples \
            of 256 bytes.",
        is_timing: false,
        judge: Judge::Claim(texture_copies),
        ..ArticleClaim::BLANK
    }),
];

fn padding(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let gain = |benchmark: &&str| {
        let largest = of(rows, benchmark).filter(|row| row.median_ns.is_some()).max_by_key(|row| row.bytes)?;
        let time_of = |pitched: f64| {
            time(of(rows, benchmark).find(|row| row.n == largest.n && has_params(row, &[("PITCHED", pitched)]))?)
        };
        let name = format!("speed ratio, {benchmark}: padded / packed rows");
        let speed = facts.speed(name, time_of(0.0)?, time_of(1.0)?)?;
        Some(format!("{speed} without padding at {} ({benchmark})", largest.short_size()))
    };
    let list = joined(["rows_2d", "slices_3d"].iter().filter_map(gain), ", and ")?;
    Some(format!("With rows padded to 256 bytes, reading is {list}."))
}

fn copies(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let mut rate = |benchmark: &str| {
        let largest = of(rows, benchmark).max_by_key(|row| row.bytes)?;
        Some((facts.byte_rate(benchmark, byte_rate(largest)?)?, largest.short_size()))
    };
    let ((into, n), (out, _)) = rate("buffer_to_texture").zip(rate("texture_to_buffer"))?;
    Some(format!("Copying {n} words from a buffer to a texture runs at {into}, and back at {out}."))
}

fn padded(rows: &DeviceRows, facts: &mut Facts, kernel: &str, copies: &str) -> Result<Report, Why> {
    let pitched = ((kernel, &[("PITCHED", 1.0)][..]), "reading padded rows");
    let report = beside(rows, facts, pitched, ((kernel, &[("PITCHED", 0.0)][..]), "reading packed rows"))?;
    let copies =
        longest(rows, (copies, NONE)).ok().and_then(|row| rate(facts, "copies to the driver's pitch and back", row));
    Ok(report.with([copies]))
}

fn texture_copies(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    const INTO: &str = "pitched/buffer_to_texture";
    const BACK: &str = "pitched/texture_to_buffer";
    let answer = right(rows, &[INTO, BACK], |rows| format!("All {} copies preserve every word.", rows.len()))?;
    let mut figure = |name, kernel| {
        let row = longest(rows, (kernel, NONE)).ok().filter(|_| !rows.is_software())?;
        rate(facts, name, row)
    };
    let figures = [figure("to the texture", INTO), figure("back", BACK)];
    Ok(answer.with(figures))
}
