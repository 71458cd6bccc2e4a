/** Building blocks of sample secrets. */

export interface SecretSample {
  readonly shape: string;
  readonly before: string;
  readonly secret: string;
  readonly after: string;
}

export const mixed = (length: number): string =>
  'aB3dE6gH9jK2mN5pQ8sT1vW4'.repeat(Math.ceil(length / 24)).slice(0, length);
export const hex = (length: number): string => '0f1e2d3c4b5a6978'.repeat(Math.ceil(length / 16)).slice(0, length);
export const base64 = (object: object): string => Buffer.from(JSON.stringify(object)).toString('base64url');

export const of = (shape: string, secret: string, before = 'value ', after = ' was sent'): SecretSample => ({
  shape,
  before,
  secret,
  after,
});

export const JWT = [base64({ alg: 'RS256', typ: 'JWT' }), base64({ sub: 'user-1', exp: 1793613600 }), mixed(86)].join(
  '.',
);
const keyLines = [...Array.from({ length: 20 }, () => `${mixed(62)}+/`), 'AbC='];
export const privateKey = (kind: string): string =>
  [`-----BEGIN ${kind}PRIVATE KEY-----`, ...keyLines, `-----END ${kind}PRIVATE KEY-----`].join('\n');
