/** The languages of code that are offered, most of which people write by their first name; any other one that the server knows can be written, too. */
export const codes: readonly (readonly string[])[] = [
  'awk', 'bash sh shell', 'c', 'c# csharp', 'c++ cpp', 'clojure', 'cmake', 'console', 'css', 'csv', 'dart', 'diff patch', 'dockerfile', 'elixir', 'elm',
  'erlang', 'fish', 'fortran', 'fsharp f#', 'go golang', 'graphql', 'groovy', 'haskell', 'hcl', 'html', 'http', 'ini', 'java', 'javascript js', 'json',
  'jsx', 'julia', 'kotlin', 'latex tex', 'lua', 'makefile', 'markdown md', 'math', 'nginx', 'nix', 'objective-c', 'ocaml', 'perl', 'php', 'powershell',
  'promql', 'proto', 'python py', 'quote', 'r', 'ruby rb', 'rust rs', 'sass', 'scala', 'scss', 'spoiler', 'sql', 'svelte', 'swift', 'systemd', 'terraform',
  'text', 'toml', 'tsx', 'typescript ts', 'vim', 'vue', 'xml svg', 'yaml yml', 'zig',
].map((names) => names.split(' '))
