//! The page's mark colours as readers with deuteranopia see them: by the matrix of Machado, Oliveira and Fernandes
//! (2009), and the difference CIEDE2000 (Sharma, Wu and Dalal 2005).

use answers::page::{SCRIPT, STYLE};

/// Minimum difference between two colours of a chart.
const LEAST: f64 = 20.0;

/// Linear red, green and blue of `#rrggbb`.
fn linear(hex: &str) -> [f64; 3] {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal")) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    [channel(1), channel(3), channel(5)]
}

fn by(matrix: [[f64; 3]; 3], color: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(color).map(|(a, b)| a * b).sum())
}

fn deuteranopia(color: [f64; 3]) -> [f64; 3] {
    const MACHADO: [[f64; 3]; 3] =
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
    by(MACHADO, color).map(|value| value.clamp(0.0, 1.0))
}

const XYZ: [[f64; 3]; 3] = [
    [0.412_456_4, 0.357_576_1, 0.180_437_5],
    [0.212_672_9, 0.715_152_2, 0.072_175],
    [0.019_333_9, 0.119_192, 0.950_304_1],
];

fn lab(color: [f64; 3]) -> [f64; 3] {
    let white = [0.950_47, 1.0, 1.088_83];
    let xyz = by(XYZ, color);
    let f = |at: usize| {
        let t: f64 = xyz[at] / white[at];
        if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 }
    };
    [116.0 * f(1) - 16.0, 500.0 * (f(0) - f(1)), 200.0 * (f(1) - f(2))]
}

fn difference([l1, a1, b1]: [f64; 3], [l2, a2, b2]: [f64; 3]) -> f64 {
    let pale = |chroma: f64| (chroma.powi(7) / (chroma.powi(7) + 25.0_f64.powi(7))).sqrt();
    let g = 1.5 - 0.5 * pale(f64::midpoint(a1.hypot(b1), a2.hypot(b2)));
    let (a1, a2) = (a1 * g, a2 * g);
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let hue = |a: f64, b: f64| if a == 0.0 && b == 0.0 { 0.0 } else { b.atan2(a).to_degrees().rem_euclid(360.0) };
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let turn = (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0;
    let turn = if c1 * c2 == 0.0 { 0.0 } else { turn };
    let (l, c) = (f64::midpoint(l1, l2), f64::midpoint(c1, c2));
    let h = if c1 * c2 == 0.0 { h1 + h2 } else { (h1 + turn / 2.0).rem_euclid(360.0) };
    let cos = |degrees: f64| degrees.to_radians().cos();
    let t = 1.0 - 0.17 * cos(h - 30.0) + 0.24 * cos(2.0 * h) + 0.32 * cos(3.0 * h + 6.0) - 0.20 * cos(4.0 * h - 63.0);
    let off = (l - 50.0).powi(2);
    let lightness = (l2 - l1) / (1.0 + 0.015 * off / (20.0 + off).sqrt());
    let chroma = (c2 - c1) / (1.0 + 0.045 * c);
    let hue = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin() / (1.0 + 0.015 * c * t);
    let rotation = -2.0 * pale(c) * (60.0 * (-((h - 275.0) / 25.0).powi(2)).exp()).to_radians().sin();
    (lightness.powi(2) + chroma.powi(2) + hue.powi(2) + rotation * chroma * hue).sqrt()
}

#[test]
fn the_difference_has_the_published_values() {
    // Pairs 1, 7 and 17 of Sharma, Wu and Dalal.
    for (a, b, expected) in [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
    ] {
        assert!((difference(a, b) - expected).abs() < 1e-4, "{a:?} {b:?}: {}", difference(a, b));
    }
}

#[test]
fn six_colours_differ_for_every_reader_and_from_the_ground() {
    assert!(SCRIPT.contains("const COLORS = 6;"));
    let themes: Vec<&str> = STYLE.split("--page: ").skip(1).collect();
    assert_eq!(themes.len(), 3, "light, dark, print");
    for theme in themes {
        let value = |name: &str| {
            let (_, rest) = theme.split_once(&format!("--{name}: ")).unwrap_or_else(|| panic!("no {name}"));
            let hex = rest.split(';').next().expect("a value");
            if hex == "#fff" { "#ffffff".to_owned() } else { hex.to_owned() }
        };
        let colors: Vec<String> = (0..6).map(|index| value(&format!("c{index}"))).collect();
        let light = |hex: &str| by(XYZ, linear(hex))[1] + 0.05;
        for (index, a) in colors.iter().enumerate() {
            let (own, ground) = (light(a), light(&value("surface")));
            assert!(own.max(ground) / own.min(ground) >= 3.0, "{a} on its ground");
            for b in &colors[index + 1..] {
                let seen = difference(lab(deuteranopia(linear(a))), lab(deuteranopia(linear(b))));
                let usual = difference(lab(linear(a)), lab(linear(b)));
                assert!(seen >= LEAST && usual >= LEAST, "{a} and {b}: {seen:.1} with deuteranopia, else {usual:.1}");
            }
        }
    }
}
