# Homebrew's formula of the archives. deploy/package/formula fills in what stands between @ signs; the formula of a release belongs into the
# folder Formula of a tap.
class Counterfoil < Formula
  desc "Mock bank API, and contract tests for bank clients"
  homepage "@HOME@"
  version "@VERSION@"
  license "Apache-2.0"

  @ARCHIVES@

  # Banks and contracts are found beside the program, through a link too.
  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"bin/counterfoil"
    man1.install_symlink libexec/"share/man/man1/counterfoil.1"
    bash_completion.install_symlink libexec/"share/bash-completion/completions/counterfoil"
    zsh_completion.install_symlink libexec/"share/zsh/site-functions/_counterfoil"
    fish_completion.install_symlink libexec/"share/fish/vendor_completions.d/counterfoil.fish"
  end

  def caveats
    "On Linux the model client and the commands that control a server load the system's libcurl (Debian: libcurl4)."
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/counterfoil --version").strip
    system bin/"counterfoil", "validate"
  end
end
