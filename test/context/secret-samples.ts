/**
 * One secret of each known shape in the words it may be found in: `before`, the secret, `after`. Put together here, so
 * that no scanner of repositories takes them for real ones.
 */
export interface SecretSample {
  readonly shape: string;
  readonly before: string;
  readonly secret: string;
  readonly after: string;
}

const mixed = (length: number): string => 'aB3dE6gH9jK2mN5pQ8sT1vW4'.repeat(Math.ceil(length / 24)).slice(0, length);
const hex = (length: number): string => '0f1e2d3c4b5a6978'.repeat(Math.ceil(length / 16)).slice(0, length);
const base64 = (object: object): string => Buffer.from(JSON.stringify(object)).toString('base64url');

const of = (shape: string, secret: string, before = 'value ', after = ' was sent'): SecretSample => ({
  shape,
  before,
  secret,
  after,
});

const JWT = [base64({ alg: 'RS256', typ: 'JWT' }), base64({ sub: 'user-1', exp: 1793613600 }), mixed(86)].join('.');
const keyLines = [...Array.from({ length: 20 }, () => `${mixed(62)}+/`), 'AbC='];
export const privateKey = (kind: string): string =>
  [`-----BEGIN ${kind}PRIVATE KEY-----`, ...keyLines, `-----END ${kind}PRIVATE KEY-----`].join('\n');

const VENDORS: readonly SecretSample[] = [
  of('Rundown key', `rdn_key_${mixed(42)}`),
  of('Rundown key', `rdn_pat_${mixed(42)}`, '{"recordKey":"', '"}'),
  of('GitHub token', `ghp_${mixed(36)}`),
  of('GitHub token', `gho_${mixed(36)}`, 'https://x-access-token:', '@github.com/shop/checkout.git'),
  of('GitHub token', `ghs_${mixed(36)}`, '\u001b[32m', '\u001b[39m'),
  of('GitHub token', `github_pat_${mixed(22)}_${mixed(59)}`),
  of('GitLab token', `glpat-${mixed(20)}`),
  of('GitLab token', `glpat-${mixed(27)}.01.${mixed(9)}`, "'", "'"),
  of('Slack token', `xoxb-${'1234567890'.repeat(2)}-${mixed(24)}`),
  of('Slack token', `xapp-1-A0B1C2D3E4F-${hex(64)}`),
  of('webhook', `T01ABCDEF/B02ABCDEF/${mixed(24)}`, 'POST https://hooks.slack.com/services/', ' 200'),
  of('webhook', `${'123456789'.repeat(2)}/${mixed(68)}`, 'https://discord.com/api/webhooks/', ' '),
  of('Stripe key', `sk_live_${mixed(24)}`),
  of('Stripe key', `rk_live_${mixed(24)}`),
  of('Stripe key', `whsec_${mixed(32)}`),
  of('AWS key id', `AKIA${'ABCDEFGHIJ234567'}`),
  of('AWS key id', `ASIA${'ABCDEFGHIJ234567'}`, '?X-Amz-Date=1&k=', '%2F20261102'),
  of('AWS secret key', `${mixed(18)}/+${mixed(20)}`, 'aws_secret_access_key = ', '\nregion = eu'),
  of('AWS secret key', `${mixed(18)}/+${mixed(20)}`, '{"SecretAccessKey": "', '"}'),
  of('Azure account key', `${mixed(86)}==`, 'AccountName=shop;AccountKey=', ';EndpointSuffix=core.windows.net'),
  of('Google key', `AIza${mixed(35)}`, 'https://maps.example.com/js?v=3&key=', '&libraries=places'),
  of('Google key', `ya29.${mixed(60)}`),
  of('Google key', `GOCSPX-${mixed(28)}`),
  of('npm token', `npm_${mixed(36)}`, '//registry.npmjs.org/:_authToken=', '\n'),
  of('PyPI token', `pypi-AgEIcHlwaS5vcmc${mixed(70)}`),
  of('RubyGems key', `rubygems_${hex(48)}`),
  of('Docker token', `dckr_pat_${mixed(27)}`),
  of('OpenAI key', `sk-${mixed(48)}`),
  of('OpenAI key', `sk-proj-${mixed(40)}-${mixed(40)}_${mixed(20)}`),
  of('Anthropic key', `sk-ant-api03-${mixed(60)}-${mixed(20)}AA`),
  of('Hugging Face token', `hf_${mixed(34)}`),
  of('SendGrid key', `SG.${mixed(22)}.${mixed(43)}`),
  of('Twilio key', `SK${hex(32)}`),
  of('Telegram token', `1234567890:AA${mixed(33)}`),
  of('DigitalOcean token', `dop_v1_${hex(64)}`),
  of('Shopify token', `shpat_${hex(32)}`),
  of('Databricks token', `dapi${hex(32)}-2`),
  of('Vault token', `hvs.${mixed(90)}`),
  of('Grafana token', `glsa_${mixed(32)}_${hex(8)}`),
  of('Sentry token', `sntrys_${mixed(80)}`),
  of('Linear key', `lin_api_${mixed(40)}`),
  of('Postman key', `PMAK-${hex(24)}-${hex(34)}`),
  of('Atlassian token', `ATATT3${mixed(90)}=ABCD`),
];

const INTRODUCED: readonly SecretSample[] = [
  of('JWT', JWT),
  of('JWT', JWT, '\\n', '\\n'),
  of('JWT', [base64({ alg: 'RSA-OAEP', enc: 'A256GCM' }), mixed(40), mixed(16), mixed(80), mixed(22)].join('.')),
  of('private key', privateKey(''), 'key:\n', '\nend'),
  of('private key', privateKey('RSA '), '`', '`'),
  of('private key', privateKey('').replaceAll('\n', '\\n'), '{"private_key":"', '\\n"}'),
  of('credentials', mixed(30), 'Authorization: Bearer ', '\nAccept: */*'),
  of('credentials', 'c2hvcDpodW50ZXIy', 'authorization: Basic ', '\n'),
  of('credentials', mixed(24), '{"Authorization":"token ', '"}'),
  of('credentials', mixed(40), 'sent bearer ', ', got 401'),
  of('password', 'hunter2', 'postgres://shop:', '@db.example.com:5432/shop'),
  of('password', 'p%40ss:word', 'amqp://guest:', '@queue/'),
  of('cookie', mixed(32), 'Set-Cookie: sid=', '; Path=/; HttpOnly'),
  of('cookie', `sid=${mixed(20)}; theme=dark`, 'Cookie: ', '\nHost: shop.example.com'),
];

const NAMED: readonly SecretSample[] = [
  of('secret', 'hunter2', 'DB_PASSWORD=', ' npm start'),
  of('secret', 'hunter2', 'login?user=jo&password=', '&next=%2F'),
  of('secret', 'abc123', 'GET /cart?token=', ' 200'),
  of('secret', 'abc-123', 'client_secret=', '&grant_type=refresh_token'),
  of('secret', 'abc123', '?api_key=', '#top'),
  of('secret', 'hunter2', '{"user":"jo","password":"', '"}'),
  of('secret', 'hunter2', '{\\"password\\":\\"', '\\"}'),
  of('secret', 'k3y', "{ apiKey: '", "' }"),
  of('secret', 'hunter2', 'run --password ', ' --verbose'),
  of('secret', 'hunter2', 'settings\n  password: ', '\n  port: 80'),
  of('secret', 'abcdefgh1', 'x-api-key: ', '\naccept: */*'),
  of('secret', hex(64), 'https://files.example.com/a.zip?X-Amz-Expires=900&X-Amz-Signature=', '&x=1'),
  of('secret', mixed(30), '/callback?code=', '&state=1'),
  of('typed secret', 'hunter2', 'Fill "', "\" getByLabel('Password')"),
  of('typed secret', 'hunter2', "await page.getByLabel('Password').fill('", "');"),
  of('typed secret', 'hunter2', "await page.fill('#password', '", "');"),
  of(
    'typed secret',
    'hunter2',
    "Call log:\n  - waiting for getByLabel('Password')\n    - locator resolved to 1\n  - fill(\"",
    '")\n',
  ),
  of('typed secret', 'hunter2', '<input id="p" type="password" value="', '"/>'),
];

export const SECRET_SAMPLES: readonly SecretSample[] = [...VENDORS, ...INTRODUCED, ...NAMED];

/** What looks like a secret at a glance, and has to stay readable. */
export const NEAR_MISSES: readonly string[] = [
  '1560994359f3ef0cf70b4c8d9cccab5c25b9da90',
  `sha256:${hex(64)}`,
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  '1981448f0b79506fb670-c560c4def463a4d13522',
  `test-failed-${Buffer.from('checkout shows the total').toString('base64')}.png`,
  `data:image/png;base64,iVBORw0KGgo${mixed(200)}==`,
  base64({ page: 2, after: 'cart' }),
  'rdn_key_... and rdn_pat_...',
  'ghp_short, glpat-short, npm_config_cache, sk-button, pk_live_is_public',
  `pk_live_${mixed(24)}`,
  '.sk-folding-cube-container .sk-cube { }',
  'task-1234567890123456789012 and disk-abcdefghij1234567890abcdef',
  `prefix${'AKIA'}ABCDEFGHIJ234567SUFFIX`,
  'SKU 0f1e2d3c4b5a69780f1e2d3c4b5a6978',
  'Unexpected token: }',
  'SyntaxError: Unexpected token < in JSON at position 0',
  'Error: Invalid password: must have 8 characters',
  '{"password":"must have at least 8 characters"}',
  "getByRole('textbox', { name: 'Password' })",
  "await expect(page.getByLabel('Password')).toBeVisible();",
  'const token = getToken();',
  'const password = process.env.PASSWORD;',
  `token=undefined password=null secret=${'$'}{SECRET}`,
  'function login(password: string, token: string): void {',
  'max_tokens=100, tokens: 1234, tokenCount: 17',
  'PWD=/home/runner/work pwd: /tmp',
  '<input type="password" name="password" />',
  'input[name=password]',
  'https://shop.example.com:8443/@vite/client',
  'https://shop.example.com/reset-password?step=2',
  'mailto:jo@example.com',
  'basic functionality of the bearer of news',
  'authorization: required',
  'Cookie: none was set',
  '-----BEGIN PRIVATE KEY----- is what the file has to begin with',
  '-----BEGIN CERTIFICATE-----',
  'GET /callback?code=404&key=ArrowDown',
  'Fill "hunter2" getByLabel(\'Name\')',
];
