import { beforeEach, describe, expect, test, vi } from 'vitest';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { junit } from '#test/imports/reports.ts';

/** Uses the real clock, because the object store checks presigned URLs against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

async function stage() {
  const tenant = await service();
  vi.useRealTimers();
  const person = await signedIn(tenant, 'member');
  const path = `/${tenant.organizationId}/${tenant.projectId}`;
  const send = (report: Blob, name: string, headers: Readonly<Record<string, string>> = SAME_ORIGIN, more = 0) => {
    const body = new FormData();
    body.append('report', report, name);
    body.append('branch', 'main');
    for (let field = 0; field < more; field += 1) body.append(`field ${field}`, '');
    const sent = { cookie: person.cookie, ...headers };
    return fetch(`${tenant.origin}${path}/imports/new`, { method: 'POST', body, headers: sent, redirect: 'manual' });
  };
  return { tenant, person, path, send };
}
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

describe('The import form of an empty project', () => {
  test('Without JavaScript, the import form imports a file, and redirects to the page of the import, which links to the run', async () => {
    const { tenant, person, path, send } = await stage();
    const empty = await person.get(`${path}/runs`);
    expect(empty.html).toContain(`action="${path}/imports/new" enctype="multipart/form-data"`);
    expect(empty.html).toContain('type="file"');
    expect(empty.text).toContain(`/v1/projects/${tenant.projectId}/imports`);
    const report = junit({ 'cart.test.ts': { sums: 'passed', rounds: 'failed' } });
    const { status, headers } = await send(new Blob([report]), 'unit.xml');
    const place = headers.get('location') ?? '';
    expect(status).toBe(303);
    const importId = place.split('/').at(-1) ?? '';
    await expect.poll(async () => (await read(tenant.api, `/imports/${importId}`)).state).toBe('recorded');
    const shown = await person.get(place);
    expect(shown.text).toContain('has been recorded');
    expect(shown.text).toContain('unit.xml');
    const { runId } = await read(tenant.api, `/imports/${importId}`);
    expect(shown.links).toContain(`${path}/runs/${runId}`);
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ meta: { commit: { branch: 'main' } } });
  });

  test('The import form refuses empty files, files that are too large, more than 1,000 fields, and requests from other sites', async () => {
    const { send } = await stage();
    const none = await send(new Blob([]), '');
    expect(none.status).toBe(400);
    expect(await none.text()).toContain('must be a non-empty file');
    expect((await send(new Blob(['x'.repeat(7 * 1024 * 1024)]), 'large.xml')).status).toBe(413);
    expect((await send(new Blob(['<testsuites/>']), 'a.xml', SAME_ORIGIN, 1000)).status).toBe(413);
    expect((await send(new Blob(['<testsuites/>']), 'a.xml', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});

describe('The page of an import', () => {
  test('says why a report was refused, and which file of a recorded report is incomplete', async () => {
    const { person, path, send } = await stage();
    const { headers } = await send(new Blob(['this is no report']), 'notes.txt');
    const place = headers.get('location') ?? '';
    await expect.poll(async () => (await person.get(place)).text).toContain('notes.txt was not imported');
    const refused = await person.get(place);
    expect(refused.text).toMatch(/What can be imported.*JUnit XML/);
    expect(refused.links).toContain(`${path}/imports/new`);
    expect(refused.text).not.toMatch(/not known yet|0 of 0/);
    const cut = junit({ 'cart.test.ts': { sums: 'passed' } }).slice(0, -30);
    const other = await send(new Blob([cut]), 'cut.xml');
    const page = async () => (await person.get(other.headers.get('location') ?? '')).text;
    await expect.poll(page).toContain('has been recorded');
    expect(await page()).toContain('cut.xml (truncated)');
    expect((await person.get(`${path}/imports/unknown`)).status).toBe(404);
  });
});
