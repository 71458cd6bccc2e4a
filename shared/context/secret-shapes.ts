/**
 * What secrets look like. A pattern matches the secret alone, or after what is kept: its group `before`.
 *
 * Every repetition is bounded, and no text is gone through twice by one repetition: 200 KB of the worst take milliseconds.
 */
export interface SecretShape {
  readonly name: string;
  readonly pattern: RegExp;
}

/** Values that are recognized wherever they stand, as long as they are not the middle of something longer. */
const TOKENS: readonly (readonly [string, RegExp])[] = [
  ['Rundown key', /rdn_(?:key|pat)_[0-9A-Za-z]{20,64}/],
  ['GitHub token', /(?:gh[opsru]_[0-9A-Za-z]{30,255}|github_pat_\w{22,255})/],
  ['GitLab token', /gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas|ffct)-[0-9A-Za-z_-]{20,64}(?:\.[\w-]{2,64}){0,4}/],
  ['Slack token', /(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w-]{10,512}/],
  ['Stripe key', /(?:[sr]k_(?:live|test)|whsec)_[0-9A-Za-z+/=]{16,256}/],
  ['AWS key id', /(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![0-9A-Za-z])/],
  ['Google key', /(?:AIza[\w-]{35}(?![\w-])|GOCSPX-[\w-]{28}|ya29\.[\w-]{20,2048})/],
  ['npm token', /npm_[0-9A-Za-z]{36}(?!\w)/],
  ['PyPI token', /pypi-[\w-]{50,2048}/],
  ['RubyGems key', /rubygems_[0-9a-f]{48}/],
  ['Docker token', /dckr_[op]at_[\w-]{20,64}/],
  ['Anthropic key', /sk-ant-[\w-]{20,256}/],
  [
    'OpenAI key',
    /(?<!-)sk-(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,256}|(?=[A-Za-z]{0,64}\d)[0-9A-Za-z]{20,256}(?![\w-]))/,
  ],
  ['Hugging Face token', /hf_[0-9A-Za-z]{30,64}/],
  ['SendGrid key', /SG\.[\w-]{16,64}\.[\w-]{16,64}/],
  ['Twilio key', /(?:SK|AC)[0-9a-f]{32}(?!\w)/],
  ['Telegram token', /\d{8,10}:AA[\w-]{33}(?![\w-])/],
  ['DigitalOcean token', /do[opr]_v1_[0-9a-f]{64}/],
  ['Shopify token', /shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}/],
  ['Databricks token', /dapi[0-9a-f]{32}(?:-\d)?(?!\w)/],
  ['Vault token', /hv[bsr]\.[\w-]{24,512}/],
  ['Grafana token', /gl(?:sa|c)_[0-9A-Za-z+/=_]{32,512}/],
  ['Sentry token', /sntry[su]_[\w+/=-]{32,512}/],
  ['Linear key', /lin_(?:api|oauth)_[0-9A-Za-z]{32,64}/],
  ['Postman key', /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/],
  ['Atlassian token', /ATATT3[\w=-]{32,512}/],
];

/** Letters and digits before it make it part of something else; unless they are an escape of JSON or of an address. */
const BEGINS = /(?<![0-9A-Za-z](?<!\\[nrt]|%[0-9A-F]{2}))/;

const tokens = TOKENS.map(([name, value]) => ({ name, pattern: new RegExp(BEGINS.source + value.source, 'g') }));

const PRIVATE_KEY =
  /-----BEGIN (?:[0-9A-Z]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,16384}(?:-(?!-)[^-]{0,16384}){0,32}-----END [0-9A-Z ]{1,64}-----|(?:\s{0,8}[0-9A-Za-z+/=\\]{16,16384}){1,512})/g;
/** Signed (three parts, the second an object, too), or encrypted (five). */
const JWT =
  /(?<![\w-](?<!\\[nrt]|%[0-9A-F]{2}))eyJ[\w-]{8,4096}\.(?:eyJ[\w-]{8,16384}\.[\w-]{0,2048}|[\w-]{0,2048}(?:\.[\w-]{8,16384}){3})/g;

/** Secrets that only what stands before them gives away. */
const INTRODUCED: readonly SecretShape[] = [
  {
    name: 'AWS secret key',
    pattern: /(?<before>secret_?access_?key\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?)[0-9A-Za-z/+=]{40}(?![0-9A-Za-z/+=])/gi,
  },
  { name: 'Azure account key', pattern: /(?<before>(?:Account|SharedAccess)Key=)[0-9A-Za-z+/]{40,128}={0,2}/g },
  {
    name: 'credentials',
    pattern:
      /(?<before>authorization\\?["'`]?\s{0,4}[:=,]\s{0,4}\\?["'`]?(?:basic|bearer|digest|negotiate|token|apikey)\s{1,4})[^\s"'`,;<>\\]{4,8192}/gi,
  },
  {
    name: 'credentials',
    pattern: /(?<before>authorization\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?)[\w.~+/=-]{20,8192}/gi,
  },
  { name: 'credentials', pattern: /(?<before>(?<![\w-])bearer\s{1,4})[\w.~+/=-]{16,8192}/gi },
  { name: 'password', pattern: /(?<before>:\/\/[^\s/:@?#"'`<>]{0,256}:)[^\s/@?#"'`<>]{1,256}(?=@)/g },
  { name: 'webhook', pattern: /(?<before>hooks\.slack\.com\/[a-z]{1,20}\/)[\w/-]{20,256}/g },
  { name: 'webhook', pattern: /(?<before>discord(?:app)?\.com\/api\/webhooks\/)[\w/-]{20,256}/g },
  {
    name: 'cookie',
    pattern: /(?<before>set-cookie\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?[^\s=:;"'`]{1,128}=)[^\s;"'`\\]{1,8192}/gi,
  },
  {
    name: 'cookie',
    pattern: /(?<before>(?<!set-)cookie\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?)[^\s=:;"'`]{1,128}=[^\r\n"'`\\]{1,8192}/gi,
  },
];

export const SECRET_SHAPES: readonly SecretShape[] = [
  { name: 'private key', pattern: PRIVATE_KEY },
  { name: 'JWT', pattern: JWT },
  ...tokens,
  ...INTRODUCED,
];
