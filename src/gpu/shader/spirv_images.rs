//! Images of SPIR-V as wgpu binds them: storage images with a format, and samplers apart from their images.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use naga::StorageFormat;
use spirv::{Decoration, ImageFormat, Op, StorageClass};

use super::module::{HEADER, instructions, op, text};
use record::suite::TexelFormat;

/// The formats that textures of `bench` have.
pub(super) const FORMATS: [(ImageFormat, StorageFormat, TexelFormat); 10] = [
    (ImageFormat::Rgba8, StorageFormat::Rgba8Unorm, TexelFormat::Rgba8Unorm),
    (ImageFormat::Rgba8ui, StorageFormat::Rgba8Uint, TexelFormat::Rgba8Uint),
    (ImageFormat::Rgba16f, StorageFormat::Rgba16Float, TexelFormat::Rgba16Float),
    (ImageFormat::R32f, StorageFormat::R32Float, TexelFormat::R32Float),
    (ImageFormat::R32ui, StorageFormat::R32Uint, TexelFormat::R32Uint),
    (ImageFormat::R32i, StorageFormat::R32Sint, TexelFormat::R32Sint),
    (ImageFormat::Rg32f, StorageFormat::Rg32Float, TexelFormat::Rg32Float),
    (ImageFormat::Rg32ui, StorageFormat::Rg32Uint, TexelFormat::Rg32Uint),
    (ImageFormat::Rgba32f, StorageFormat::Rgba32Float, TexelFormat::Rgba32Float),
    (ImageFormat::Rgba32ui, StorageFormat::Rgba32Uint, TexelFormat::Rgba32Uint),
];

/// Variables outside functions: the result id, and the id of what the variable points to.
fn variables(words: &[u32]) -> Vec<(u32, u32)> {
    let mut pointees = HashMap::new();
    let mut found = Vec::new();
    for own in instructions(words) {
        match (op(own), &own[1..]) {
            (Some(Op::TypePointer), [id, class, pointee]) if *class == StorageClass::UniformConstant as u32 => {
                pointees.insert(*id, *pointee);
            }
            (Some(Op::Variable), [kind, id, ..]) => found.extend(pointees.get(kind).map(|pointee| (*id, *pointee))),
            _ => {}
        }
    }
    found
}

/// Gives each storage image without a format that of `formats`, by the variable's name, or the usual one of its type.
pub(super) fn with_formats(words: &mut [u32], formats: &BTreeMap<String, TexelFormat>) {
    let mut names: HashMap<u32, String> = HashMap::new();
    let (mut scalars, mut numbers) = (HashMap::new(), HashMap::new());
    for own in instructions(words) {
        match (op(own), &own[1..]) {
            (Some(Op::Name), [id, name @ ..]) => _ = names.entry(*id).or_insert_with(|| text(name)),
            (Some(Op::Decorate), [id, decoration, number]) if *decoration == Decoration::Binding as u32 => {
                numbers.insert(*id, *number);
            }
            (Some(Op::TypeFloat), [id, ..]) => _ = scalars.insert(*id, ImageFormat::Rgba8),
            (Some(Op::TypeInt), [id, _, 1]) => _ = scalars.insert(*id, ImageFormat::R32i),
            (Some(Op::TypeInt), [id, ..]) => _ = scalars.insert(*id, ImageFormat::R32ui),
            _ => {}
        }
    }
    let named = |(id, kind): (u32, u32)| {
        let usual = || Some(format!("binding_{}", numbers.get(&id)?));
        let name = names.get(&id).filter(|name| !name.is_empty()).cloned().or_else(usual)?;
        let wanted = formats.get(&name)?;
        Some((kind, FORMATS.iter().find(|(.., own)| own == wanted)?.0))
    };
    let given: HashMap<u32, ImageFormat> = variables(words).into_iter().filter_map(named).collect();
    let mut at = HEADER;
    while let Some(first) = words.get(at).copied() {
        let length = (first >> 16).max(1) as usize;
        if let Some([_, id, scalar, _, _, _, _, 2, format @ 0, ..]) = words.get_mut(at..at + length)
            && op(&[first]) == Some(Op::TypeImage)
        {
            let usual = scalars.get(scalar).copied().unwrap_or(ImageFormat::Rgba8);
            *format = given.get(id).copied().unwrap_or(usual) as u32;
        }
        at += length;
    }
}

/// Splits each combined image sampler into an image and a sampler (`NAME_sampler`, at the next free binding). Unchanged
/// if one is used in another way than by loading it.
pub(super) fn with_split_samplers(words: Vec<u32>) -> Vec<u32> {
    let mut of_type = HashMap::new();
    let (mut names, mut groups, mut bindings) = (HashMap::new(), HashMap::new(), HashMap::new());
    for own in instructions(&words) {
        match (op(own), &own[1..]) {
            (Some(Op::TypeSampledImage), [id, image]) => _ = of_type.insert(*id, *image),
            (Some(Op::Name), [id, name @ ..]) => _ = names.entry(*id).or_insert_with(|| text(name)),
            (Some(Op::Decorate), [id, decoration, number]) if *decoration == Decoration::DescriptorSet as u32 => {
                groups.insert(*id, *number);
            }
            (Some(Op::Decorate), [id, decoration, number]) if *decoration == Decoration::Binding as u32 => {
                bindings.insert(*id, *number);
            }
            _ => {}
        }
    }
    let mut next = words[3];
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let mut free: HashMap<u32, u32> = HashMap::new();
    for (id, number) in &bindings {
        let last = free.entry(groups.get(id).copied().unwrap_or(0)).or_default();
        *last = (*last).max(number.saturating_add(1));
    }
    // By variable: the type of its image, and the sampler.
    let combined: BTreeMap<u32, (u32, u32)> =
        variables(&words).into_iter().filter_map(|(id, kind)| Some((id, (*of_type.get(&kind)?, fresh())))).collect();
    let is_other_use = |own: &[u32]| {
        let is_used = own[1..].iter().any(|word| combined.contains_key(word));
        is_used
            && matches!(op(own), Some(Op::FunctionCall | Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject))
    };
    if combined.is_empty() || instructions(&words).any(is_other_use) {
        return words;
    }
    let known = instructions(&words).find(|own| op(own) == Some(Op::TypeSampler)).map(|own| own[1]);
    let (sampler, to_sampler) = (known.unwrap_or_else(&mut fresh), fresh());
    let images: BTreeSet<u32> = combined.values().map(|(image, _)| *image).collect();
    let to_images: BTreeMap<u32, u32> = images.into_iter().map(|image| (image, fresh())).collect();
    let mut made = words[..HEADER].to_vec();
    let add = |made: &mut Vec<u32>, code: Op, operands: &[u32]| {
        made.push((operands.len() as u32 + 1) << 16 | code as u32);
        made.extend(operands);
    };
    let class = StorageClass::UniformConstant as u32;
    let (mut has_types, mut has_decorations) = (false, false);
    for own in instructions(&words) {
        let code = op(own);
        // The first annotation, and the first variable, stand where further ones may.
        if code == Some(Op::Decorate) && !has_decorations {
            has_decorations = true;
            for (id, (_, new)) in &combined {
                let group = groups.get(id).copied().unwrap_or(0);
                let number = free.entry(group).or_default();
                add(&mut made, Op::Decorate, &[*new, Decoration::DescriptorSet as u32, group]);
                add(&mut made, Op::Decorate, &[*new, Decoration::Binding as u32, *number]);
                *number += 1;
            }
        }
        match (code, own) {
            (Some(Op::EntryPoint), [first, rest @ ..]) if words[1] >= 0x0001_0400 => {
                made.push(first + ((combined.len() as u32) << 16));
                made.extend(rest);
                made.extend(combined.values().map(|(_, new)| *new));
            }
            (Some(Op::Name), [_, id, ..]) if combined.contains_key(id) => {
                made.extend(own);
                let name = format!("{}_sampler", names.get(id).map_or("", String::as_str));
                let mut bytes = name.into_bytes();
                bytes.resize((bytes.len() / 4 + 1) * 4, 0);
                add(&mut made, Op::Name, &[&[combined[id].1][..], &super::module::words(&bytes)].concat());
            }
            (Some(Op::Variable), [_, _, id, ..]) if combined.contains_key(id) => {
                if !has_types {
                    has_types = true;
                    if known.is_none() {
                        add(&mut made, Op::TypeSampler, &[sampler]);
                    }
                    add(&mut made, Op::TypePointer, &[to_sampler, class, sampler]);
                    to_images.iter().for_each(|(image, id)| add(&mut made, Op::TypePointer, &[*id, class, *image]));
                }
                let (image, new) = combined[id];
                add(&mut made, Op::Variable, &[to_images[&image], *id, class]);
                add(&mut made, Op::Variable, &[to_sampler, new, class]);
            }
            (Some(Op::Load), [_, kind, id, from, ..]) if combined.contains_key(from) => {
                let ((image, new), [a, b]) = (combined[from], [fresh(), fresh()]);
                add(&mut made, Op::Load, &[image, a, *from]);
                add(&mut made, Op::Load, &[sampler, b, new]);
                add(&mut made, Op::SampledImage, &[*kind, *id, a, b]);
            }
            _ => made.extend(own),
        }
    }
    made[3] = next;
    made
}
