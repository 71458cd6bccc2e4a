/** Secrets that only a name gives away: `password=...`, `"apiKey": "..."`, a field that is filled. Made like those of secret-shapes.ts. */
import type { SecretShape } from './secret-shapes.ts';

/** Any letters may stand before it: `DB_PASSWORD`, `accessToken`. A working directory is no secret. */
const NAME = String.raw`(?:password|passwd|passphrase|pwd(?!\\?["'\x60]?\s{0,4}[:=]\s{0,4}\\?["'\x60]?[/.])|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|encryption[_-]?key)(?:[_-]?(?:access[_-]?key|key|value|base|string)){0,2}\d{0,3}`;
/** Of code and of logs, where there is nothing to hide. */
const NOTHING = String.raw`(?!(?:undefined|null|none|nil|true|false|string|number|boolean|unknown|any|required|missing|invalid|expired)(?![\w-])|process\.|\$\{)`;
/** What a value without quotes does not contain, and what may follow one: an opening bracket would make it a call. */
const ENDS = String.raw`\s"'\x60,;&#<>(){}[\]|$\\`;
const END = String.raw`(?=$|[\s"'\x60,;&#<>)}\]|\\])`;
const FIELD = '(?:password|passwd|passphrase|secret)';

const named = (name: string, ...sources: readonly string[]): SecretShape => ({
  name,
  pattern: new RegExp(sources.join(''), 'gim'),
});

export const NAMED_SECRETS: readonly SecretShape[] = [
  // In quotes: JSON, objects, attributes. What has blanks in it is a sentence.
  named(
    'secret',
    String.raw`(?<before>${NAME}\\?["'\x60]?\s{0,4}(?:=>|[:=])\s{0,4}\\?(["'\x60]))${NOTHING}(?:(?!\2)[^\\\s]|\\(?!["'\x60])){3,2048}(?=\\?\2)`,
  ),
  // Without: variables, forms, addresses.
  named(
    'secret',
    String.raw`(?<before>(?:${NAME}=|(?<!\S)--[\w-]{0,32}?${NAME} ))${NOTHING}`,
    `[^=${ENDS}]{3,2048}={0,2}`,
    END,
  ),
  // Headers and the like. No prose writes such a name.
  named(
    'secret',
    String.raw`(?<before>(?<![^\s"'\x60{,;&?([<])[\w-]{0,32}?(?:(?:api|access|secret|private|signing)[_-]?key|(?:access|api|auth|csrf|id|private|refresh|session|xsrf)[_-]?token|client[_-]?secret)\s{0,2}:\s{0,4})(?=[^\d${ENDS}]{0,256}\d)`,
    `[^${ENDS}]{8,2048}`,
    END,
  ),
  // A line of its own, as in a file of settings.
  named(
    'secret',
    String.raw`(?<before>^[ \t]{0,32}[\w.-]{0,64}?${NAME}[ \t]{0,4}[:=][ \t]{1,4})${NOTHING}`,
    String.raw`[^${ENDS}]{3,2048}[ \t]{0,16}$`,
  ),
  named(
    'secret',
    String.raw`(?<before>[?&](?:sig|signature|x-(?:amz|goog)-(?:signature|security-token|credential)|sid|session(?:_?id)?|jwt|otp|ticket)=)[^\s"'\x60&#<>\\]{6,8192}`,
  ),
  named('secret', String.raw`(?<before>[?&#](?:code|key|auth)=)[^\s"'\x60&#<>\\]{16,8192}`),
  // The steps, the code and the call log of a test that fills in a form.
  named('typed secret', String.raw`(?<before>\bfill ")[^"\n]{1,512}(?=" [^"\n]{0,256}?${FIELD})`),
  named(
    'typed secret',
    String.raw`(?<before>${FIELD}[^\n"'\x60]{0,24}["'\x60][^\n"'\x60]{0,64}\.(?:fill|type|pressSequentially)\(\s{0,4}["'\x60])[^"'\x60\n]{1,512}(?=["'\x60])`,
  ),
  named(
    'typed secret',
    String.raw`(?<before>\.(?:fill|type)\(\s{0,4}(["'\x60])(?:(?!\2)[^\n]){0,128}?${FIELD}(?:(?!\2)[^\n]){0,128}\2,\s{0,4}["'\x60])[^"'\x60\n]{1,512}(?=["'\x60])`,
  ),
  named(
    'typed secret',
    String.raw`(?<before>^[ \t]{0,32}- waiting for (?=[^\n]{0,256}?${FIELD})[^\n]{0,512}\n(?:[^\n]{0,512}\n){0,6}?[ \t]{0,32}- {1,4}fill\(")[^"\n]{1,512}`,
  ),
  named(
    'typed secret',
    String.raw`(?<before><input(?=[^<>]{0,512}type="?password)[^<>]{0,512}?\svalue=")[^"\n]{1,512}`,
  ),
];
