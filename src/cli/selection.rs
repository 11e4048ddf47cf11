//! Selects the devices of a run. Groups devices that are one card through several APIs.

use std::collections::BTreeSet;

use super::target::{Through, apis};
use gpu::backend::Device;
use gpu::backend::wgpu::refusal;
use gpu::engine::plan::unknown;
use record::error::{Error, Result, usage};
use record::suite::{Api, DeviceType};

pub(super) fn no_device() -> Error {
    Error::NoDevice(
        "no GPU adapter was found: install a Vulkan driver (on Debian and Ubuntu, apt-get install libvulkan1 \
         mesa-vulkan-drivers; for NVIDIA cards, NVIDIA's driver), and check VK_ICD_FILENAMES, VK_DRIVER_FILES and \
         WGPU_BACKEND if they are set"
            .to_owned(),
    )
}

/// The runs to make, at least one, as indices into `found`. Each run is on one device: through all of its APIs if
/// `backend` is `all`, else through one. Software devices run only on request or without hardware; devices that run no
/// kernel (see [`refusal`]) only if there is no other.
pub(super) fn select_runs(found: &[Device], device: Option<&str>, backend: Option<Through>) -> Result<Vec<Vec<usize>>> {
    if found.is_empty() {
        return Err(no_device());
    }
    let wanted = wanted(found, device)?;
    let is_for_any = matches!(device, None | Some("all"));
    let is_hardware = |index: usize| found[index].kind != DeviceType::Software;
    let is_usable = |index: &usize| refusal(&found[*index]).is_none();
    let mut runs: Vec<Vec<usize>> = if backend == Some(Through::All) {
        cards(found).into_iter().filter(|card| card.iter().any(|index| wanted.contains(index))).collect()
    } else {
        wanted.iter().map(|index| vec![*index]).collect()
    };
    for run in runs.iter_mut().filter(|run| run.iter().any(is_usable)) {
        run.retain(is_usable);
    }
    if let Some(Through::One(api)) = backend {
        runs.retain(|run| found[run[0]].api == api);
        if runs.is_empty() {
            if let Some(device) = device.filter(|_| !is_for_any) {
                let through: BTreeSet<Api> = wanted.iter().map(|index| found[*index].api).collect();
                let through: Vec<&str> = through.into_iter().map(Api::name).collect();
                let through = through.join(", ");
                return Err(usage!("device {device} does not support {api}, only {through}"));
            }
            let known: Vec<_> = apis().into_iter().map(Api::name).collect();
            return Err(Error::NoDevice(format!(
                "no device supports {api}: see `shaderbench devices`; known APIs are {}",
                known.join(", ")
            )));
        }
    }
    if is_for_any && runs.iter().any(|run| is_usable(&run[0])) {
        runs.retain(|run| is_usable(&run[0]));
    }
    if is_for_any && runs.iter().any(|run| is_hardware(run[0])) {
        runs.retain(|run| is_hardware(run[0]));
    }
    if backend != Some(Through::All) {
        let api = found[runs[0][0]].api;
        runs.retain(|run| found[run[0]].api == api);
    }
    if device != Some("all") {
        runs.truncate(1);
    }
    Ok(runs)
}

/// Which card a run without `--device` uses, why, and how to select another; `None` if there is no other.
pub(super) fn why_this_card(found: &[Device], run: &[usize]) -> Option<String> {
    let chosen = &found[*run.first()?];
    let cards = cards(found);
    let others: Vec<String> = cards
        .iter()
        .filter(|card| !card.contains(&run[0]))
        .map(|card| {
            let index = run.iter().find_map(|own| card.iter().find(|index| found[**index].api == found[*own].api));
            let index = *index.unwrap_or(&card[0]);
            format!("--device {index} selects {} ({})", found[index].name, found[index].kind.name())
        })
        .collect();
    let alike = cards.iter().filter(|card| found[card[0]].kind == chosen.kind).count();
    let rank = if alike > 1 { format!("first of {alike}") } else { "only".to_owned() };
    let (name, kind, others) = (&chosen.name, chosen.kind.name(), others.join(", "));
    (!others.is_empty())
        .then(|| format!("using {name}, the {rank} {kind} device{}; {others}", if alike > 1 { "s" } else { "" }))
}

/// Indices of the devices that match `--device`, at least one.
fn wanted(found: &[Device], device: Option<&str>) -> Result<Vec<usize>> {
    let Some(wanted) = device.filter(|wanted| *wanted != "all") else { return Ok((0..found.len()).collect()) };
    let number = wanted.parse::<usize>();
    let is_wanted = |index: &usize| match number {
        Ok(number) => number == *index,
        Err(_) => found[*index].name.to_lowercase().contains(&wanted.to_lowercase()),
    };
    let indices: Vec<usize> = (0..found.len()).filter(is_wanted).collect();
    if !indices.is_empty() {
        return Ok(indices);
    }
    Err(Error::Usage(match number {
        Ok(number) => format!("there is no device {number}; `shaderbench devices` numbers the devices"),
        Err(_) => {
            // A card has one entry per API, so names repeat.
            let names: BTreeSet<String> = found.iter().map(|device| device.name.clone()).collect();
            unknown("device", wanted, &names.into_iter().collect::<Vec<_>>())
        }
    }))
}

/// Groups `found` into cards, in order. A card is a list of indices, one per API. An entry with neither a PCI address
/// nor a UUID (OpenGL) joins the card with a matching name if there is exactly one. Otherwise it is a card of its own.
fn cards(found: &[Device]) -> Vec<Vec<usize>> {
    let mut indices: Vec<usize> = (0..found.len()).collect();
    // Devices with an address come first, so that the others are compared with every card.
    indices.sort_by_key(|index| pci_address(&found[*index]).is_none() && uuid(&found[*index]).is_none());
    let mut cards: Vec<Vec<usize>> = Vec::new();
    for index in indices {
        let device = &found[index];
        let lacks_api = |card: &Vec<usize>| card.iter().all(|other| found[*other].api != device.api);
        let is_same = |other: &usize| is_same_card(&found[*other], device);
        let known =
            cards.iter().position(|card| lacks_api(card) && card.iter().any(|other| is_same(other) == Some(true)));
        let by_name = || {
            let is_like = |other: &usize| is_same(other).is_none() && is_named_alike(&found[*other], device);
            let mut alike =
                (0..cards.len()).filter(|card| lacks_api(&cards[*card]) && cards[*card].iter().all(is_like));
            alike.next().filter(|_| alike.next().is_none())
        };
        match known.or_else(by_name) {
            Some(card) => cards[card].push(index),
            None => cards.push(vec![index]),
        }
    }
    for card in &mut cards {
        card.sort_unstable();
    }
    cards.sort_by_key(|card| card[0]);
    cards
}

/// Whether two devices are one card: by PCI address, else by UUID. `None` if these are missing.
pub(super) fn is_same_card(a: &Device, b: &Device) -> Option<bool> {
    match (pci_address(a).zip(pci_address(b)), uuid(a).zip(uuid(b))) {
        (Some((a, b)), _) => Some(a == b),
        (None, Some((a, b))) => Some(a == b),
        (None, None) => None,
    }
}

/// Whether the names may be of the same card: APIs name it differently ("NVIDIA H200" and "NVIDIA H200/PCIe/SSE2").
fn is_named_alike(a: &Device, b: &Device) -> bool {
    let are_alike = a.name.contains(&b.name) || b.name.contains(&a.name);
    are_alike && (a.kind == DeviceType::Software) == (b.kind == DeviceType::Software)
}

/// Domain, bus, device and function. `0000:1b:00.0`, `00000000:1B:00.0` and `1b:00.0` are equal.
fn pci_address(device: &Device) -> Option<[u32; 4]> {
    let (slots, function) = device.pci_address.as_deref()?.split_once('.')?;
    let mut slots = slots.rsplit(':').map(|digits| u32::from_str_radix(digits, 16).ok());
    let (device, bus) = (slots.next()??, slots.next()??);
    let domain = slots.next().unwrap_or(Some(0))?;
    Some([domain, bus, device, u32::from_str_radix(function, 16).ok()?])
}

/// The hexadecimal digits of the UUID, in Vulkan's or CUDA's notation.
fn uuid(device: &Device) -> Option<String> {
    let text = device.uuid.as_deref()?.trim_start_matches("GPU-").to_lowercase();
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    (digits.len() == 32).then_some(digits)
}

#[cfg(test)]
pub(super) mod fakes {
    use super::*;
    use gpu::backend::RuntimeChecks;
    use gpu::job::Language;
    use record::suite::Feature;

    pub(in crate::cli) fn device(name: &str, api: Api, facts: &[(&str, &str)]) -> Device {
        let fact = |wanted| facts.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned());
        Device {
            name: name.to_owned(),
            vendor: "NVIDIA".to_owned(),
            kind: if name.starts_with("llvmpipe") { DeviceType::Software } else { DeviceType::Discrete },
            driver: "fake".to_owned(),
            compiler: None,
            api,
            language: if api == Api::Cuda { Language::Cuda } else { Language::Wgsl },
            is_in_browser: false,
            runtime_checks: RuntimeChecks::Switchable,
            pci_address: fact("PCI address"),
            uuid: fact("UUID"),
            subgroup: None,
            features: [Feature::F64].into(),
            has_timestamps: true,
            has_copy_timestamps: false,
            max_buffer_bytes: 1 << 30,
            max_binding_bytes: 1 << 30,
            max_texture_side: 8192,
            has_mappable_storage: false,
            has_pinned_memory: false,
            has_upload_staging: true,
            kernel_compiler: Default::default(),
            max_storage_buffers: 8,
            max_workgroup_bytes: 48 << 10,
            max_invocations: 1024,
            max_workgroup_size: [1024, 1024, 64],
            max_groups: 65_535,
            sub_texel_bits: 8,
            facts: facts
                .iter()
                .map(|(name, value)| ("adapter".into(), (*name).to_owned(), (*value).to_owned()))
                .collect(),
        }
    }

    pub(in crate::cli) fn at(api: Api, pci_address: &str) -> Device {
        device("Fake 9000", api, &[("PCI address", pci_address)])
    }
}

#[cfg(test)]
mod tests {
    use super::fakes::{at, device};
    use super::*;

    /// Two cards with opposite order in Vulkan and CUDA, OpenGL that could be either card, and one software device with
    /// two APIs.
    fn two_cards() -> Vec<Device> {
        vec![
            at(Api::Vulkan, "0000:1b:00.0"),
            at(Api::Vulkan, "0000:43:00.0"),
            device("Fake 9000/PCIe/SSE2", Api::Gl, &[]),
            device("llvmpipe (LLVM 15)", Api::Vulkan, &[]),
            device("llvmpipe (LLVM 15)", Api::Gl, &[]),
            at(Api::Cuda, "00000000:43:00.0"),
            at(Api::Cuda, "1B:00.0"),
        ]
    }

    fn selected(found: &[Device], device: Option<&str>, backend: Option<Through>) -> Vec<Vec<usize>> {
        select_runs(found, device, backend).expect("some device")
    }

    #[test]
    fn all_apis_of_the_first_card_or_of_each_make_one_run() {
        let found = two_cards();
        assert_eq!(selected(&found, None, Some(Through::All)), [vec![0, 6]]);
        assert_eq!(selected(&found, Some("all"), Some(Through::All)), [vec![0, 6], vec![1, 5], vec![2]]);
        assert_eq!(selected(&found, Some("1"), Some(Through::All)), [vec![1, 5]]);
        assert_eq!(selected(&found, Some("6"), Some(Through::All)), [vec![0, 6]]);
        assert_eq!(selected(&found, Some("llvm"), Some(Through::All)), [vec![3, 4]]);
    }

    #[test]
    fn the_choice_among_cards_is_explained() {
        let found = two_cards();
        let why = |run: &[usize]| why_this_card(&found, run);
        let rest = "--device 3 selects llvmpipe (LLVM 15) (software)";
        assert_eq!(
            why(&[0]).as_deref(),
            Some(&*format!(
                "using Fake 9000, the first of 3 discrete devices; --device 1 selects Fake 9000 (discrete), \
                 --device 2 selects Fake 9000/PCIe/SSE2 (discrete), {rest}"
            ))
        );
        // The other cards through the API of the run, if they have it.
        assert!(why(&[6]).expect("others").contains("; --device 5 selects Fake 9000 (discrete)"), "{:?}", why(&[6]));
        assert!(why(&[3]).expect("others").starts_with("using llvmpipe (LLVM 15), the only software device; "));
        assert_eq!(why_this_card(&found[3..5], &[0]), None);
        assert_eq!(why_this_card(&found[..1], &[0]), None);
    }

    #[test]
    fn one_api_is_as_without_cards() {
        let found = two_cards();
        assert_eq!(selected(&found, None, None), [vec![0]]);
        assert_eq!(selected(&found, Some("all"), None), [vec![0], vec![1]]);
        assert_eq!(selected(&found, Some("4"), None), [vec![4]]);
        assert_eq!(selected(&found, Some("all"), Some(Through::One(Api::Gl))), [vec![2]]);
        assert_eq!(selected(&found, Some("llvm"), Some(Through::One(Api::Vulkan))), [vec![3]]);
        assert_eq!(selected(&found[5..], Some("all"), Some(Through::One(Api::Cuda))), [vec![0], vec![1]]);
    }

    #[test]
    fn without_cuda_all_means_what_the_device_has() {
        let found = [device("Fake 9000", Api::Vulkan, &[]), device("Fake 9000", Api::Gl, &[])];
        assert_eq!(selected(&found, None, Some(Through::All)), [vec![0, 1]]);
        assert_eq!(selected(&found[..1], None, Some(Through::All)), [vec![0]]);
        assert_eq!(selected(&two_cards()[3..5], None, Some(Through::All)), [vec![0, 1]]);
    }

    #[test]
    fn opengl_belongs_to_the_only_card_of_its_name() {
        let found = [
            device("Fake 9000/PCIe/SSE2", Api::Gl, &[]),
            at(Api::Vulkan, "0000:1b:00.0"),
            at(Api::Cuda, "0000:1b:00.0"),
        ];
        assert_eq!(selected(&found, None, Some(Through::All)), [vec![0, 1, 2]]);
        // A second driver for the same API and card is a separate run.
        let found = [at(Api::Vulkan, "0000:1b:00.0"), at(Api::Vulkan, "0000:1b:00.0"), at(Api::Cuda, "0000:1b:00.0")];
        assert_eq!(selected(&found, Some("all"), Some(Through::All)), [vec![0, 2], vec![1]]);
    }

    #[test]
    fn a_device_that_runs_no_kernel_is_left_out_unless_it_is_alone_or_named() {
        let old =
            Device { driver: "3.3.0 NVIDIA 580.159.04".to_owned(), ..device("Fake 9000/PCIe/SSE2", Api::Gl, &[]) };
        let found = [old, at(Api::Vulkan, "0000:1b:00.0"), device("llvmpipe (LLVM 15)", Api::Gl, &[])];
        for named in [None, Some("all")] {
            assert_eq!(selected(&found, named, None), [vec![1]]);
            assert_eq!(selected(&found, named, Some(Through::All)), [vec![1]]);
            assert_eq!(selected(&found, named, Some(Through::One(Api::Gl))), [vec![2]]);
        }
        assert_eq!(selected(&found, Some("0"), None), [vec![0]]);
        assert_eq!(selected(&found[..1], None, Some(Through::All)), [vec![0]]);
    }

    #[test]
    fn where_addresses_are_missing_uuids_tell_cards_apart() {
        let uuid = |digit: char| format!("GPU-{}", digit.to_string().repeat(32));
        let with_uuid = |api, uuid: &str| device("Fake 9000", api, &[("UUID", uuid)]);
        let found = [
            with_uuid(Api::Vulkan, &uuid('a')),
            with_uuid(Api::Vulkan, &uuid('b')),
            with_uuid(Api::Cuda, &uuid('b')),
            with_uuid(Api::Cuda, &uuid('A')),
        ];
        assert_eq!(selected(&found, Some("all"), Some(Through::All)), [vec![0, 3], vec![1, 2]]);
    }

    #[test]
    fn what_is_not_there_is_said() {
        let found = two_cards();
        for (device, backend, text) in [
            (Some("99"), Some(Through::All), "there is no device 99; `shaderbench devices` numbers the devices"),
            (Some("Fake 9001"), None, "did you mean 'Fake 9000'?"),
            (None, Some(Through::One(Api::Metal)), "no device supports metal"),
            (Some("2"), Some(Through::One(Api::Vulkan)), "device 2 does not support vulkan, only gl"),
            (Some("llvm"), Some(Through::One(Api::Cuda)), "device llvm does not support cuda, only vulkan, gl"),
        ] {
            let error = select_runs(&found, device, backend).expect_err("there is none").to_string();
            assert!(error.contains(text), "{error}");
        }
        assert!(
            select_runs(&[], None, None).expect_err("there is none").to_string().contains("install a Vulkan driver")
        );
    }
}
