//! Runs threads on the NUMA node near a card or far from it.

use record::error::{Error, Result};

/// Keeps the calling thread on the cores of one node until dropped. The thread's allocations lie in the node's memory.
pub(crate) struct OnNode {
    #[cfg(target_os = "linux")]
    before: linux::Cores,
}

impl OnNode {
    /// The cores of the node of the card at this PCI address, or of the node farthest from it. Fails with
    /// [`Error::Unsupported`] if the host has one node or does not report the card's.
    pub(crate) fn of(pci_address: Option<&str>, is_far: bool) -> Result<Self> {
        let refused = |why: &str| Error::Unsupported(why.to_owned());
        #[cfg(target_os = "linux")]
        {
            let address = pci_address.ok_or_else(|| refused("the driver does not report the card's PCI address"))?;
            let unknown = "the host does not report which cores the thread may use";
            let before = linux::Cores::of_thread().ok_or_else(|| refused(unknown))?;
            let cores = linux::cores(std::path::Path::new("/sys"), address, is_far, &before).map_err(refused)?;
            if !cores.set() {
                return Err(refused(linux::EXCLUDED));
            }
            Ok(Self { before })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (pci_address, is_far);
            Err(refused("NUMA nodes are supported only on Linux"))
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for OnNode {
    fn drop(&mut self) {
        self.before.set();
    }
}

#[cfg(target_os = "linux")]
mod linux {
    #![expect(unsafe_code, reason = "libc's affinity functions have no safe wrapper")]

    use std::fs;
    use std::path::Path;

    pub(super) const EXCLUDED: &str = "this process may not run on the cores of the chosen NUMA node";

    pub(super) struct Cores(libc::cpu_set_t);

    impl Cores {
        /// The cores that the calling thread may use.
        pub(super) fn of_thread() -> Option<Self> {
            // SAFETY: a set is an array of words, for which zeros are valid.
            let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
            // SAFETY: the set has the length that is passed; 0 is the calling thread.
            let status = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
            (status == 0).then_some(Self(set))
        }

        /// Those of a list like `0-3,8` that are among `allowed`; `None` if there are none.
        fn listed(list: &str, allowed: &Self) -> Option<Self> {
            // SAFETY: a set is an array of words, for which zeros are valid.
            let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
            let most = 8 * size_of_val(&set);
            let mut count = 0;
            for range in list.trim().split(',').filter(|range| !range.is_empty()) {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                for core in first.parse().ok()?..=last.parse().ok().filter(|last| *last < most)? {
                    // SAFETY: the number is below the length of both sets.
                    unsafe {
                        if libc::CPU_ISSET(core, &allowed.0) {
                            libc::CPU_SET(core, &mut set);
                            count += 1;
                        }
                    }
                }
            }
            (count > 0).then_some(Self(set))
        }

        /// Restricts the calling thread to these cores. Returns whether that succeeded.
        pub(super) fn set(&self) -> bool {
            // SAFETY: the set has the length that is passed; 0 is the calling thread.
            unsafe { libc::sched_setaffinity(0, size_of_val(&self.0), &raw const self.0) == 0 }
        }
    }

    /// The cores of the card's node, or of the farthest node with cores, by the files below `sys`
    /// ([`sysfs-devices-node`](https://docs.kernel.org/admin-guide/abi-stable.html)). Only those among `allowed`: the
    /// user may have excluded others.
    pub(super) fn cores(sys: &Path, pci_address: &str, is_far: bool, allowed: &Cores) -> Result<Cores, &'static str> {
        let read = |path: String| fs::read_to_string(sys.join(path)).ok();
        let list = |node: usize| read(format!("devices/system/node/node{node}/cpulist"));
        let lists: Vec<(usize, String)> = (0..1024).filter_map(|node| Some((node, list(node)?))).collect();
        let with_cores = |(_, list): &&(usize, String)| !list.trim().is_empty();
        if lists.iter().filter(with_cores).count() < 2 {
            return Err("the host has only one NUMA node: all cores are equally near the card");
        }
        let own = read(format!("bus/pci/devices/{pci_address}/numa_node"));
        let own_node: usize =
            own.and_then(|text| text.trim().parse().ok()).ok_or("the host does not report the card's NUMA node")?;
        let distances = read(format!("devices/system/node/node{own_node}/distance")).unwrap_or_default();
        let distances: Vec<u32> = distances.split_whitespace().filter_map(|text| text.parse().ok()).collect();
        // The kernel lists one distance per online node, so numbers of nodes may have gaps.
        let far = lists.iter().enumerate().filter(|(_, node)| with_cores(node) && node.0 != own_node);
        let far = far.max_by_key(|(place, _)| distances.get(*place).copied().unwrap_or(0)).map(|(_, node)| node);
        let near = lists.iter().filter(with_cores).find(|(node, _)| *node == own_node);
        let chosen = if is_far { far } else { near };
        let (_, list) = chosen.ok_or("the card's NUMA node has no cores")?;
        Cores::listed(list, allowed).ok_or(EXCLUDED)
    }

    #[cfg(test)]
    mod tests {
        use std::path::PathBuf;

        use super::*;

        fn has(cores: &Cores, core: usize) -> bool {
            // SAFETY: the number is below the length of the set.
            unsafe { libc::CPU_ISSET(core, &cores.0) }
        }

        /// All cores, or those of a list.
        fn of(list: Option<&str>) -> Cores {
            // SAFETY: a set is an array of words, for which zeros are valid.
            let mut all: libc::cpu_set_t = unsafe { std::mem::zeroed() };
            for core in 0..8 * size_of_val(&all) {
                // SAFETY: the number is below the length of the set.
                unsafe { libc::CPU_SET(core, &mut all) };
            }
            let all = Cores(all);
            match list {
                Some(list) => Cores::listed(list, &all).expect("a list"),
                None => all,
            }
        }

        /// The NUMA files of a host.
        struct Sys(PathBuf);

        impl Sys {
            fn new(name: &str) -> Self {
                Self(std::env::temp_dir().join(format!("shaderbench-numa-{name}-{}", std::process::id())))
            }

            fn write(&self, path: &str, text: &str) {
                let path = self.0.join(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(path, text).expect("a file");
            }

            fn node(&self, number: usize, list: &str) {
                self.write(&format!("devices/system/node/node{number}/cpulist"), list);
            }

            /// The cores of the near or far node that are among `allowed`.
            fn cores(&self, is_far: bool, allowed: Option<&str>) -> Result<Cores, &'static str> {
                cores(&self.0, "0000:1b:00.0", is_far, &of(allowed))
            }
        }

        impl Drop for Sys {
            fn drop(&mut self) {
                fs::remove_dir_all(&self.0).expect("the folder");
            }
        }

        #[test]
        fn the_far_node_is_the_one_at_the_largest_distance() {
            let sys = Sys::new("far");
            sys.node(0, "0-1\n");
            assert!(sys.cores(true, None).is_err_and(|why| why.contains("one NUMA node")));
            sys.node(1, "2-3,8\n");
            sys.node(2, "4-5\n");
            sys.node(3, "\n");
            assert!(sys.cores(true, None).is_err_and(|why| why.contains("does not report")));
            sys.write("bus/pci/devices/0000:1b:00.0/numa_node", "0\n");
            sys.write("devices/system/node/node0/distance", "10 32 12 99\n");
            let near = sys.cores(false, None).expect("cores");
            let far = sys.cores(true, None).expect("cores");
            assert_eq!([0, 1, 2, 8].map(|core| has(&near, core)), [true, true, false, false]);
            assert_eq!([0, 2, 4, 8].map(|core| has(&far, core)), [false, true, false, true]);
        }

        #[test]
        fn numbers_of_nodes_may_have_gaps() {
            let sys = Sys::new("gaps");
            for (number, list) in [(0, "0\n"), (2, "1\n"), (8, "2\n"), (9, "\n")] {
                sys.node(number, list);
            }
            sys.write("bus/pci/devices/0000:1b:00.0/numa_node", "2\n");
            sys.write("devices/system/node/node2/distance", "12 10 40 99\n");
            let far = sys.cores(true, None).expect("cores");
            assert_eq!([0, 1, 2].map(|core| has(&far, core)), [false, false, true]);
            sys.write("devices/system/node/node2/distance", "40 10 12 99\n");
            let far = sys.cores(true, None).expect("cores");
            assert_eq!([0, 1, 2].map(|core| has(&far, core)), [true, false, false]);
        }

        #[test]
        fn cores_that_the_process_may_not_use_stay_unused() {
            let sys = Sys::new("allowed");
            sys.node(0, "0-3\n");
            sys.node(1, "4-7\n");
            sys.write("bus/pci/devices/0000:1b:00.0/numa_node", "0\n");
            sys.write("devices/system/node/node0/distance", "10 20\n");
            let near = sys.cores(false, Some("1,3")).expect("cores");
            assert_eq!([0, 1, 2, 3].map(|core| has(&near, core)), [false, true, false, true]);
            assert!(sys.cores(true, Some("1,3")).is_err_and(|why| why == EXCLUDED));
        }
    }
}
