/** Tests the main tasks in a real browser with JavaScript disabled. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { listInvitations } from '#shared/organizations/invitations.ts';
import { readProjectSettings } from '#shared/organizations/project-settings.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { client } from '#test/harness/client.ts';
import { batch } from '#test/harness/comparisons.ts';
import { failingRun } from '#test/harness/failing-run.ts';
import { member } from '#test/harness/people.ts';
import { startRun } from '#test/harness/recording.ts';
import { COMMIT, flaky } from '#test/harness/recording-messages.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { SUITE } from '#test/recording/operations.ts';

/** Creates an Admin with an unused sign-in link, and a browser without JavaScript. */
async function stage<Of extends TestService & Tenant>(here: Of) {
  const { email } = await member(here, 'admin');
  const { secret } = await createSignInLink(here.services, { actor: OPERATOR, email });
  const page = await (await profile(here.origin, undefined, { javaScriptEnabled: false })).newPage();
  return { ...here, page, project: `/${here.organizationId}/${here.projectId}`, secret };
}

const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
const textOf = async (page: Page) => (await page.locator('main').textContent()) ?? '';

async function signIn(page: Page, secret: string): Promise<void> {
  await page.goto('/sign-in/link');
  await page.getByLabel('Code').fill(secret);
  await press(page, 'Sign in');
  await page.getByRole('link', { name: 'Not now' }).click();
}

describeInChromium('Without JavaScript, an Admin', () => {
  test('Without JavaScript, an Admin signs in, finds out why a test failed, and finds its history and its failure context for an AI agent', async () => {
    const { page, secret } = await stage(await failingRun());
    await signIn(page, secret);
    await follow(page, 'Shop');
    await follow(page, 'Failed');
    await page.locator('.whole-link').first().click();
    expect(await textOf(page)).toContain('expected 2, received 3');
    await page.locator('h3').getByRole('link', { name: 'keeps its articles' }).first().click();
    expect(await textOf(page)).toContain('Expect "toBe"');
    await page.getByLabel('More actions').click();
    await follow(page, 'Failure as Markdown');
    expect(await page.locator('body').textContent()).toContain('# Test Failure Context');
    await page.goBack();
    await follow(page, 'History');
    expect(await textOf(page)).toContain('expected 2, received 3');
  });

  test('Without JavaScript, an Admin finds a run by its commit, finds the tests that took the most time, and quarantines a flaky test', async () => {
    const here = await service();
    const name = 'cart.spec.ts > keeps its articles';
    for (let build = 0; build < 6; build += 1) await batch(here, `build-${build}`, { [name]: flaky() });
    await compileRuns(here);
    const { page, secret, project } = await stage(here);
    await signIn(page, secret);
    await page.goto(`${project}/insights`);
    await page.getByRole('searchbox').first().fill(COMMIT.sha.slice(0, 8));
    await press(page, 'Start the search');
    await page.locator('main a[href*="/runs/"]').first().click();
    expect(await textOf(page)).toContain('keeps its articles');
    await follow(page, 'Tests');
    await follow(page, 'Most total time');
    expect(await textOf(page)).toContain('in total');
    await follow(page, 'Runs');
    await page.locator('.whole-link').first().click();
    await follow(page, 'Quarantine…');
    await press(page, 'Create rule');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Quarantine');
  });

  test('Without JavaScript, an Admin creates an API key and a personal access token, both of which the API accepts', async () => {
    const { page, secret, origin, organizationId } = await stage(await service());
    await signIn(page, secret);
    await page.goto(`/${organizationId}`);
    await follow(page, 'API keys');
    await follow(page, 'New API key');
    await page.getByLabel('Label').fill('CI');
    await press(page, 'Create API key');
    const [key = ''] = /rdn_key_\w{42}/.exec(await textOf(page)) ?? [];
    expect((await client(origin, key).get('/projects')).status).toBe(200);
    await follow(page, 'Tokens');
    await follow(page, 'New token');
    await page.getByLabel('Name').fill('laptop');
    await page.getByLabel('results:read').check();
    await press(page, 'Create token');
    const [token = ''] = /rdn_pat_\w{42}/.exec(await textOf(page)) ?? [];
    expect((await client(origin, token).get('/me')).status).toBe(200);
  });

  test('Without JavaScript, an Admin invites a person, changes the settings of the project and creates a webhook', async () => {
    const { page, secret, services, organizationId, projectId, reader, project } = await stage(await service());
    const scope = { organizationId, projectId, actor: OPERATOR };
    await signIn(page, secret);
    await follow(page, 'Members');
    await follow(page, 'Invite a person');
    await page.getByLabel('Email address').fill('new@example.com');
    await page.getByLabel('Guest').check();
    await press(page, 'Create invitation');
    expect(await textOf(page)).toContain('/invitations#');
    expect(await listInvitations(services, scope)).toMatchObject([{ email: 'new@example.com', role: 'guest' }]);
    await page.goto(`${project}/settings`);
    await page.getByRole('textbox', { name: 'Default branch' }).fill('trunk');
    await press(page, 'Save settings');
    expect(await readProjectSettings(services, scope)).toMatchObject({ defaultBranchName: 'trunk' });
    await follow(page, 'Webhooks');
    await follow(page, 'New webhook');
    await page.getByLabel('URL').fill('https://receiver.invalid/');
    await page.getByLabel('Sign requests').uncheck();
    await press(page, 'Create webhook');
    expect((await reader.get(`/webhooks?projectId=${projectId}`)).body.data).toHaveLength(1);
  });

  test('Without JavaScript, an Admin cancels a run, deletes it and signs out', async () => {
    const { page, secret, project, ...here } = await stage(await service());
    const runningRun = `${project}/runs/${(await startRun(here, SUITE)).runId}`;
    await signIn(page, secret);
    await page.goto(runningRun);
    await follow(page, 'Cancel this run…');
    await press(page, 'Cancel this run');
    expect(await textOf(page)).toContain('Cancelled by Alex Doe');
    await page.getByLabel('More actions').click();
    await follow(page, 'Delete…');
    await press(page, 'Delete this run');
    expect(new URL(page.url()).pathname).toBe(`${project}/runs`);
    expect((await page.goto(runningRun))?.status()).toBe(404);
    await page.goto('/account');
    await press(page, 'Sign out');
    await page.goto(`${project}/runs`);
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });
});
