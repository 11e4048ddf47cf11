# Written by scripts/release.sh.
class Shaderbench < Formula
  desc "Compute-shader benchmarks with verified results"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@URL aarch64-apple-darwin@"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do
      url "@URL x86_64-apple-darwin@"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end
  on_linux do
    on_arm do
      url "@URL aarch64-unknown-linux-gnu@"
      sha256 "@SHA256 aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "@URL x86_64-unknown-linux-gnu@"
      sha256 "@SHA256 x86_64-unknown-linux-gnu@"
    end
    depends_on "vulkan-loader"
  end

  def install
    bin.install "shaderbench"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/shaderbench.bash" => "shaderbench"
    zsh_completion.install "completions/_shaderbench"
    fish_completion.install "completions/shaderbench.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/shaderbench --version")
  end
end
