/** Tests the rule for names that people give, wherever a name can be given. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { checkIntegrationSettings } from '#shared/issues/integration-settings.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { attack } from '#test/harness/attacks.ts';
import { RULE, rulesPath } from '#test/harness/rules.ts';
import { service } from '#test/harness/service.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';
import { plainStage } from '#test/infra/cli/settings-stage.ts';
import { fillIn } from '#test/pages/form-of.ts';

type Stage = Awaited<ReturnType<typeof stage>>;

async function stage() {
  const here = await service();
  return { ...here, admin: await signedIn(here, 'admin') };
}

let shared: ReturnType<typeof stage> | undefined;
const sharedStage = () => (shared ??= stage());

const REFUSAL = 'must not contain control characters or characters that change the direction of text';

const textOf = ({ status, text }: Shown): string => `${status} ${text}`;
const settled = (work: Promise<unknown> | (() => unknown)): Promise<string> =>
  Promise.resolve()
    .then(() => (typeof work === 'function' ? work() : work))
    .then(
      () => '200',
      (error: unknown) => String(error),
    );

/** Gives a name, and returns the status and the answer. */
const WAYS: Readonly<Record<string, (at: Stage, name: string) => Promise<string>>> = {
  'a new project of the API': async ({ api }, name) => JSON.stringify(await api.post('/projects', { name })),
  'a project that is renamed by the API': async ({ api, projectId }, name) =>
    JSON.stringify(await api.put(`/projects/${projectId}`, { name })),
  'a tag of a project': async ({ api, projectId }, name) =>
    JSON.stringify(await api.put(`/projects/${projectId}`, { tags: [name] })),
  'a rule of the API': async (at, name) => JSON.stringify(await at.api.post(rulesPath(at), { ...RULE, name })),
  'a webhook of the API': async ({ api, projectId }, label) =>
    JSON.stringify(await api.post(`/webhooks?projectId=${projectId}`, { url: 'https://example.com/hook', label })),
  'the form of a project': async ({ admin, organizationId }, name) =>
    textOf(await fillIn(admin, `/${organizationId}/projects/new`, { name })),
  'the form of an API key': async ({ admin, organizationId }, label) =>
    textOf(await fillIn(admin, `/${organizationId}/settings/api-keys/new`, { label })),
  'the form of a personal token': async ({ admin }, name) =>
    textOf(await fillIn(admin, '/account/tokens/new', { name, permissions: 'results:read' })),
  'the form of a badge': async ({ admin, organizationId, projectId }, label) =>
    textOf(await fillIn(admin, `/${organizationId}/${projectId}/badges`, { branch: 'main', label })),
  'a connection to a tracker': (_, name) =>
    settled(() =>
      checkIntegrationSettings(
        {
          kind: 'github',
          name,
          apiUrl: 'https://api.github.com',
          account: undefined,
          projectIds: undefined,
          token: 'x',
        },
        { privateReceivers: 'none' },
      ),
    ),
  'an account': ({ services }, name) =>
    settled(createAccount(services, { email: `${crypto.randomUUID()}@example.com`, name })),
  'an organization': ({ services }, name) => settled(createOrganization(services, { name, actor: OPERATOR })),
};

const EMBEDDINGS = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'];
const SEPARATORS = ['\u2028', '\u2029', '\u0085', '\u001b'];
/** Hebrew with a right-to-left mark, Arabic with its letter mark, Persian with a non-joiner, and joined emoji. */
const GOOD = ['חנות C#\u200f', 'متجر\u061c 12', 'می\u200cخواهم', '\u200eShop', '👩\u200d💻'];

describe('A name with a character that changes the direction of text', () => {
  test.each(Object.entries(WAYS))('is refused for %s', async (_, give) => {
    const at = await sharedStage();
    attack('names');
    expect(await give(at, 'ann\u202egnp.exe')).toContain(REFUSAL);
  });

  test('is refused for each such character, and for line separators and control characters', async () => {
    const at = await sharedStage();
    for (const character of [...EMBEDDINGS, ...SEPARATORS])
      for (const way of ['a new project of the API', 'a rule of the API']) {
        attack('names');
        expect(await WAYS[way]?.(at, `a${character}b`), JSON.stringify(character)).toContain(REFUSAL);
      }
  });

  test('is refused in a settings file', async () => {
    const at = await plainStage();
    const file = await at.exported();
    const [first, ...others] = file.projects ?? [];
    await at.write({ ...file, projects: [{ ...first, name: 'Shop\u202e' }, ...others] });
    expect(await at.apply()).toMatchObject({ status: 2, errors: expect.stringContaining(REFUSAL) });
  });
});

test('A name may be right-to-left text with its marks, and may have joiners', async () => {
  const at = await stage();
  for (const name of GOOD)
    for (const [way, give] of Object.entries(WAYS))
      expect(await give(at, name), `${way}: ${name}`).not.toContain(REFUSAL);
  const projects = (await at.reader.get('/projects')).body.data.map(({ name }: { readonly name: string }) => name);
  expect(projects).toEqual(expect.arrayContaining(GOOD));
});
