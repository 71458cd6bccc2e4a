/** Patterns of secrets in commands and settings files, which are recognized by their position. */
import type { SecretShape } from './secret-shape.ts';

/** One word of a shell command or settings file, with or without quotes. */
const WORD = String.raw`(?:"[^"\n]{1,256}"|'[^'\n]{1,256}'|[^\s"'\x60;|&<>]{1,256})`;
const FIELD = '(?:password|passwd|passphrase|secret|token|api[_-]?key)';

const commandSecret = (name: string, marks: string, ...sources: readonly string[]): SecretShape => ({
  name,
  marks: marks.split(' '),
  pattern: new RegExp(sources.join(''), 'gim'),
});

export const COMMAND_SECRETS: readonly SecretShape[] = [
  // The credentials in `curl -u name:password`. Without a colon, the whole value is a token.
  commandSecret(
    'password',
    '-u --user --proxy-user',
    String.raw`(?<before>\b(?:curl|https?|wget|xh)\b(?:(?!\b(?:curl|https?|wget|xh)\b)[^\n]){0,512}?\s(?:-u|--user|--proxy-user)[ \t=]{0,4}["']?`,
    String.raw`(?:[^\s"':/@]{0,128}:(?!\s|["']))?)[^\s"':]{3,256}`,
  ),
  commandSecret(
    'password',
    'mysql mariadb',
    String.raw`(?<before>\b(?:mysql\w{0,16}|mariadb(?:-\w{1,16})?)\b(?:(?!\b(?:mysql|mariadb))[^\n]){0,256}?\s-p)(?!ort\b)${WORD}`,
  ),
  commandSecret(
    'password',
    'sshpass redis-cli login',
    String.raw`(?<before>\b(?:sshpass\s{1,4}-p|redis-cli\b[^\n]{0,128}?\s(?:-a|--pass)|(?:docker|podman|az|oc)\s{1,4}login\b[^\n]{0,128}?\s-p)\s{0,4})${WORD}`,
  ),
  // The password in a `.netrc` file.
  commandSecret('password', 'login', String.raw`(?<before>\blogin\s{1,4}\S{1,128}\s{1,4}password\s{1,4})\S{1,256}`),
  // XML: an element whose name, or an entry whose key, is the name of a secret.
  commandSecret(
    'secret',
    '</',
    String.raw`(?<before><(?:[\w-]{1,32}:)?[\w.-]{0,32}?${FIELD}[\w.-]{0,16}(?:\s[^<>]{0,256})?>\s{0,8})[^<>\s][^<>]{0,2048}(?=</)`,
  ),
  commandSecret(
    'secret',
    'value=',
    String.raw`(?<before><(?:add|entry|property|param)\s{1,4}(?:key|name)="[^"<>]{0,64}?${FIELD}[^"<>]{0,64}"\s{0,8}value=")[^"\n]{1,512}`,
  ),
  // The values of a Kubernetes Secret, which are encoded in Base64.
  commandSecret(
    'secret',
    'secret',
    String.raw`(?<before>^[ \t]{1,16}[\w.-]{1,64}:[ \t]{1,4}["']?)(?=[a-z/+]{0,256}[0-9A-Z=])[A-Za-z0-9+/]{10,8192}={0,2}`,
    String.raw`(?=["']?[ \t]{0,8}$)(?<=\bkind:[ \t]{0,4}["']?Secret\b[^]{0,1024})`,
  ),
  // The credentials of a Docker registry.
  commandSecret(
    'credentials',
    'auth token',
    String.raw`(?<before>"(?:auth|identitytoken|registrytoken)"\s{0,4}:\s{0,4}")[A-Za-z0-9+/_.-]{12,8192}={0,2}(?=")`,
  ),
];
