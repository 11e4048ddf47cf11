# Written by scripts/release.sh.
{
  description = "Compute-shader benchmarks with verified results";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      version = "@VERSION@";
      sources = {
        x86_64-linux = {
          url = "@URL x86_64-unknown-linux-gnu@";
          sha256 = "@SHA256 x86_64-unknown-linux-gnu@";
        };
        aarch64-linux = {
          url = "@URL aarch64-unknown-linux-gnu@";
          sha256 = "@SHA256 aarch64-unknown-linux-gnu@";
        };
        x86_64-darwin = {
          url = "@URL x86_64-apple-darwin@";
          sha256 = "@SHA256 x86_64-apple-darwin@";
        };
        aarch64-darwin = {
          url = "@URL aarch64-apple-darwin@";
          sha256 = "@SHA256 aarch64-apple-darwin@";
        };
      };
      package = system: source:
        let
          pkgs = nixpkgs.legacyPackages.${system};
          inherit (pkgs) lib;
          isLinux = pkgs.stdenv.hostPlatform.isLinux;
        in
        pkgs.stdenv.mkDerivation {
          pname = "shaderbench";
          inherit version;
          src = pkgs.fetchurl source;
          nativeBuildInputs = [ pkgs.installShellFiles pkgs.makeWrapper ]
            ++ lib.optional isLinux pkgs.autoPatchelfHook;
          buildInputs = lib.optional isLinux pkgs.stdenv.cc.cc.lib;
          installPhase = ''
            install -Dm755 -t $out/bin shaderbench
            installManPage man/*.1
            installShellCompletion --cmd shaderbench --bash completions/shaderbench.bash \
              --fish completions/shaderbench.fish --zsh completions/_shaderbench
          '';
          # The loader is opened at run time; drivers, CUDA's too, are those of the system.
          postFixup = lib.optionalString isLinux ''
            wrapProgram $out/bin/shaderbench --prefix LD_LIBRARY_PATH : \
              ${lib.makeLibraryPath [ pkgs.vulkan-loader ]}:/run/opengl-driver/lib
          '';
          meta = {
            description = "Compute-shader benchmarks with verified results";
            homepage = "@REPOSITORY@";
            license = with lib.licenses; [ mit asl20 ];
            mainProgram = "shaderbench";
            sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
          };
        };
    in
    {
      packages = builtins.mapAttrs (system: source: { default = package system source; }) sources;
    };
}
