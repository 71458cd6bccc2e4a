/**
 * Patterns of secrets that are recognized by a name near them: `password=...`, `"apiKey": "..."`, or the name of the
 * form field into which a test typed the secret.
 */
import type { SecretShape } from './secret-shape.ts';

/** Any prefix is allowed, as in `DB_PASSWORD`. A `pwd` whose value is a path is the working directory. */
const NAME = String.raw`(?:password|passwd|passphrase|pwd(?!\\?["'\x60]?\s{0,4}[:=]\s{0,4}\\?["'\x60]?[/.])|secret|token|credentials?|creds|api[_-]?key|access[_-]?key|private[_-]?key|encryption[_-]?key)(?:[_.-]?(?:access[_-]?key|key|secret|token|value|base|string)){0,2}\d{0,3}`;
/** Values in code and logs that are not secrets. */
const NOTHING = String.raw`(?!(?:undefined|null|none|nil|true|false|include|omit|same-origin|header|body|string|number|boolean|unknown|any|required|missing|invalid|expired)(?![\w-])|process\.|\$\{)`;
/**
 * `ENDS` lists the characters that end an unquoted value. `END` matches what may follow such a value. An opening
 * bracket must not follow, because the text before it would be the name of a function.
 */
const ENDS = String.raw`\s"'\x60,;&#<>(){}[\]|$\\`;
const END = String.raw`(?=$|[\s"'\x60,;&#<>)}\]|\\])`;
const FIELD = '(?:password|passwd|passphrase|secret)';

/** Every name contains at least one of these words, so a text without any of them need not be searched. */
const MARKS = [
  'pass',
  'pwd',
  'secret',
  'token',
  'cred',
  'key',
  'sess',
  'sid',
  'sig',
  'jwt',
  'otp',
  'ticket',
  'code',
  'auth',
];

const namedSecret = (name: string, ...sources: readonly string[]): SecretShape => ({
  name,
  marks: MARKS,
  pattern: new RegExp(sources.join(''), 'gim'),
});

export const NAMED_SECRETS: readonly SecretShape[] = [
  // Quoted values in JSON, objects and attributes. A value with spaces is excluded, because it is a sentence.
  namedSecret(
    'secret',
    String.raw`(?<before>${NAME}\\?["'\x60]?\s{0,4}(?:=>|[:=])\s{0,4}\\?(["'\x60]))${NOTHING}(?:(?!\2)[^\\\s]|\\(?!["'\x60])){3,2048}(?=\\?\2)`,
  ),
  // Unquoted values in variables, forms and URLs.
  namedSecret(
    'secret',
    String.raw`(?<before>(?:${NAME}=|(?<!\S)--[\w-]{0,32}?${NAME} ))${NOTHING}`,
    `[^=${ENDS}]{3,2048}={0,2}`,
    END,
  ),
  // The names `pass` and `passcode`. Without quotes, the value must contain a letter, because test output also uses
  // `pass` for counts.
  namedSecret(
    'secret',
    String.raw`(?<before>\bpass(?:code)?\\?["'\x60]?\s{0,4}(?:=>|[:=])\s{0,4}\\?(["'\x60]))${NOTHING}(?:(?!\2)[^\\\s]|\\(?!["'\x60])){3,2048}(?=\\?\2)`,
  ),
  namedSecret(
    'secret',
    String.raw`(?<before>\bpass(?:code)?=)${NOTHING}(?=[^\s]{0,256}?[a-z])[^=${ENDS}]{4,2048}`,
    END,
  ),
  // A session id outside cookie headers.
  namedSecret(
    'session',
    String.raw`(?<before>(?:\bsid|sess(?:ion)?[_-]?(?:id|key|token)|connect\.sid|_session)\\?["'\x60]?(?:=|\s{0,4}:\s{1,4}\\?["'\x60]|:\\?["'\x60]))${NOTHING}(?=[^\d=${ENDS}]{0,256}\d)`,
    `[^=${ENDS}]{6,4096}={0,2}`,
  ),
  // A sentence that contains the secret. The value must not look like a normal word: it must contain a digit, a capital
  // letter in the middle, a special character or three hyphens, or begin with 16 letters.
  namedSecret(
    'secret',
    String.raw`(?<before>\b${NAME}\s{1,4}(?:is|was|=|:|->)\s{1,4}["'\x60(]?)`,
    String.raw`(?![^\s]{0,256}\()(?=[^\s"'\x60]{0,256}?(?:\d|(?-i:[a-z][A-Z])|[!#$%^&*+~]|(?:[a-z]{1,32}-){3})|[a-z]{16})[^${ENDS}]{4,2048}`,
  ),
  // A sentence with the secret in quotes. In quotes, even a normal word may be the secret.
  namedSecret('secret', String.raw`(?<before>\b${NAME}\s{1,4}(?:is|was)\s{1,4}(["'\x60]))[^\s"'\x60]{3,2048}(?=\2)`),
  // YAML with the value on the next line.
  namedSecret(
    'secret',
    String.raw`(?<before>^[ \t-]{0,32}[\w.-]{0,64}?${NAME}[ \t]{0,4}:[ \t]{0,4}(?:[|>][+-]?\d?)?[ \t]{0,4}\r?\n[ \t]{1,64}["']?)${NOTHING}`,
    String.raw`(?!- )[^${ENDS}:]{3,2048}(?=["']?[ \t]{0,16}\r?$)`,
  ),
  // Names of headers and similar names, which do not occur in normal sentences.
  namedSecret(
    'secret',
    String.raw`(?<before>(?<![^\s"'\x60{,;&([<])[\w-]{0,32}?(?:(?:api|access|secret|private|signing)[_-]?key|(?:access|api|auth|csrf|id|private|refresh|session|xsrf)[_-]?token|client[_-]?secret)\s{0,2}:\s{0,4})(?=[^\d${ENDS}]{0,256}\d)`,
    `[^${ENDS}]{8,2048}`,
    END,
  ),
  // A line of a settings file.
  namedSecret(
    'secret',
    String.raw`(?<before>^[ \t]{0,32}[\w.-]{0,64}?${NAME}[ \t]{0,4}[:=][ \t]{1,4})${NOTHING}`,
    String.raw`[^${ENDS}]{3,2048}[ \t]{0,16}$`,
  ),
  namedSecret(
    'secret',
    String.raw`(?<before>[?&](?:sig|signature|x-(?:amz|goog)-(?:signature|security-token|credential)|sid|session(?:_?id)?|jwt|otp|ticket)=)[^\s"'\x60&#<>\\]{6,8192}`,
  ),
  namedSecret('secret', String.raw`(?<before>[?&#](?:code|key|auth)=)[^\s"'\x60&#<>\\]{16,8192}`),
  // Steps, code and call logs of a test that fills in a form.
  namedSecret('typed secret', String.raw`(?<before>\bfill ")[^"\n]{1,512}(?=" [^"\n]{0,256}?${FIELD})`),
  namedSecret(
    'typed secret',
    String.raw`(?<before>${FIELD}[^\n"'\x60]{0,24}["'\x60][^\n"'\x60]{0,64}\.(?:fill|type|pressSequentially)\(\s{0,4}["'\x60])[^"'\x60\n]{1,512}(?=["'\x60])`,
  ),
  namedSecret(
    'typed secret',
    String.raw`(?<before>\.(?:fill|type)\(\s{0,4}(["'\x60])(?:(?!\2)[^\n]){0,128}?${FIELD}(?:(?!\2)[^\n]){0,128}\2,\s{0,4}["'\x60])[^"'\x60\n]{1,512}(?=["'\x60])`,
  ),
  namedSecret(
    'typed secret',
    String.raw`(?<before>^[ \t]{0,32}- waiting for (?=[^\n]{0,256}?${FIELD})[^\n]{0,512}\n(?:[^\n]{0,512}\n){0,6}?[ \t]{0,32}- {1,4}fill\(")[^"\n]{1,512}`,
  ),
  namedSecret(
    'typed secret',
    String.raw`(?<before><input(?=[^<>]{0,512}type="?password)[^<>]{0,512}?\svalue=")[^"\n]{1,512}`,
  ),
];
