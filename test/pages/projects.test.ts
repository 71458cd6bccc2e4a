import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { changeProjectSettings, readProjectSettings } from '#shared/organizations/project-settings.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { textOf } from '#test/harness/elements.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { fillIn, refusedFields, valuesOf } from './form-of.ts';

async function stage() {
  const here = await service();
  const { organizationId, projectId } = here;
  const scope = { organizationId, projectId, actor: OPERATOR };
  return {
    ...here,
    of: scope,
    create: `/${organizationId}/projects/new`,
    settings: `/${organizationId}/${projectId}/settings`,
    all: async () => (await listOrganizationProjects(here.services, scope)).map(({ name }) => name).sort(),
    read: () => readProjectSettings(here.services, scope),
    changes: async () =>
      (await readAudit(here.services, scope)).records.flatMap(({ action, detail }) =>
        action === 'project changed' ? detail : [],
      ),
    admin: await signedIn(here, 'admin'),
  };
}

let shared: ReturnType<typeof stage> | undefined;
/** Refused forms change nothing, so the tests of refusals share one organization. */
const sharedStage = () => (shared ??= stage());

describe('A project', () => {
  test('can be created by an Admin of an organization without projects, and its page then links to the form for an API key', async () => {
    const here = await service();
    const { organizationId } = await createOrganization(here.services, { name: 'Empty', actor: OPERATOR });
    const admin = await signedIn({ ...here, organizationId }, 'admin');
    const home = await admin.get(`/${organizationId}`);
    expect(home.text).toContain('There are no projects yet');
    expect(home.links).toContain(`/${organizationId}/projects/new`);
    const created = await fillIn(admin, `/${organizationId}/projects/new`, { name: 'Warehouse </script>' });
    expect(created.status).toBe(303);
    const runs = await admin.get(created.headers.get('location') ?? '');
    expect(runs.text).toContain('Waiting for the first result');
    expect(runs.text).toContain('Warehouse </script>');
    const [, key = ''] = /href="([^"]*api-keys\/new[^"]*)"/.exec(runs.html) ?? [];
    expect((await admin.get(key)).status).toBe(200);
  });

  test('is created once even if its form is sent several times concurrently', async () => {
    const { admin, create, all } = await stage();
    const form = { ...valuesOf(await admin.get(create)), name: 'Once' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.post(create, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409, 409]);
    expect(await all()).toEqual(['Once', 'Shop']);
  });

  test.each([{ name: '' }, { name: 'x'.repeat(129) }, { defaultBranchName: '' }])(
    'is not created with the value %j, and the form shows an error and keeps what was entered',
    async (wrong) => {
      const { admin, create, all } = await sharedStage();
      const given = { name: 'Store', defaultBranchName: 'trunk', ...wrong };
      const refused = await fillIn(admin, create, given);
      expect(refused.status).toBe(400);
      expect(valuesOf(refused)).toMatchObject(given);
      expect(refusedFields(refused)).toEqual(Object.keys(wrong));
      expect(await all()).toEqual(['Shop']);
    },
  );
});

describe('A deleted project', () => {
  test('The settings, the list of runs and the list of projects say when the data of a deleted project will be removed, until the project is restored', async () => {
    const { api, projectId, organizationId, admin, settings } = await stage();
    const pages = [settings, `/${organizationId}/${projectId}/runs`, `/${organizationId}`];
    const told = async () =>
      (await Promise.all(pages.map((page) => admin.get(page)))).map(({ text }) => text.includes('2 Dec 2026'));
    expect(await told()).toEqual([false, false, false]);
    await api.send('DELETE', `/projects/${projectId}`);
    expect(await told()).toEqual([true, true, true]);
    await api.put(`/projects/${projectId}/restore`);
    expect(await told()).toEqual([false, false, false]);
  });
});

describe('The deletion of a project in the browser', () => {
  test('An Admin deletes a project by typing its name, and restores it with the form on the list of runs', async () => {
    const { organizationId, projectId, admin, settings, read } = await stage();
    expect((await admin.get(settings)).links).toContain(`${settings}/delete`);
    const deleted = await fillIn(admin, `${settings}/delete`, { name: ' Shop ' });
    expect([deleted.status, deleted.headers.get('location')]).toEqual([303, settings]);
    expect(await read()).toHaveProperty('deletesAt');
    expect((await admin.get(settings)).links).not.toContain(`${settings}/delete`);
    const runs = await admin.get(`/${organizationId}/${projectId}/runs`);
    expect(runs.html).toContain(`action="${settings}/restore"`);
    const restored = await admin.post(`${settings}/restore`, {});
    expect([restored.status, restored.headers.get('location')]).toEqual([303, settings]);
    expect(await read()).not.toHaveProperty('deletesAt');
  });

  test.each(['', 'shop', 'Shop 2'])('A project is not deleted if %j is typed instead of its name', async (name) => {
    const { admin, settings, read, changes } = await stage();
    const refused = await fillIn(admin, `${settings}/delete`, { name });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('This is not the name of the project. Type Shop');
    expect(refusedFields(refused)).toEqual(['name']);
    expect(await read()).not.toHaveProperty('deletesAt');
    expect(await changes()).toEqual([]);
  });

  test('A Member sees that an Admin can restore a deleted project, but gets no button to restore it', async () => {
    const here = await stage();
    const { organizationId, projectId, settings, api } = here;
    await api.send('DELETE', `/projects/${projectId}`);
    const runs = await (await signedIn(here, 'member')).get(`/${organizationId}/${projectId}/runs`);
    expect(runs.text).toContain('Until then, an Admin can restore it.');
    expect(runs.html).not.toContain(`${settings}/restore`);
  });

  test('The overview names deleted projects last, and nothing of them needs attention', async () => {
    const here = await stage();
    const { organizationId, projectId, api, admin } = here;
    const { projectId: otherId } = (await api.post('/projects', { name: 'Another' })).body.data;
    const places = async () => {
      const { elements } = await admin.get(`/${organizationId}`);
      const names = elements.filter(({ nodeName }) => nodeName === 'h3').map(textOf);
      return names.map((name) => name.trim());
    };
    // Both were created in the same millisecond, so any of them may come first.
    const before = await places();
    const ids = before[0] === 'Another' ? [otherId, projectId] : [projectId, otherId];
    await api.send('DELETE', `/projects/${ids[0]}`);
    expect(await places()).toEqual(before.toReversed());
    await api.send('DELETE', `/projects/${ids[1]}`);
    expect((await admin.get(`/${organizationId}`)).text).not.toContain('Needs attention');
  });

  test('The overview shows of a deleted project only its deletion, and to an Admin the button to restore it', async () => {
    const here = await stage();
    const { organizationId, projectId, settings, api, admin } = here;
    await api.send('DELETE', `/projects/${projectId}`);
    const overview = `/${organizationId}`;
    const shown = await admin.get(overview);
    expect(shown.html).toContain(`action="${settings}/restore"`);
    expect(shown.text).not.toContain('Send the first results');
    const ofMember = await (await signedIn(here, 'member')).get(overview);
    expect(ofMember.text).toContain('Until then, an Admin can restore it.');
    expect(ofMember.html).not.toContain(`${settings}/restore`);
  });
});

describe('§3 The settings of a project', () => {
  test('The settings of a project can all be changed with one form, which adds a single audit record', async () => {
    const { admin, settings, read, changes } = await stage();
    const general = { name: 'Store', defaultBranchName: 'trunk', timeoutMinutes: '10', failFast: 'true' };
    const given = { ...general, tags: ' web, critical,' };
    const saved = await fillIn(admin, settings, { ...given, resultsDays: '30', evidenceDays: '7', filesDays: '' });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, settings]);
    expect(await read()).toMatchObject({
      name: 'Store',
      defaultBranchName: 'trunk',
      inactivityTimeoutSeconds: 600,
      failFast: true,
      tags: ['web', 'critical'],
      retention: { resultsDays: 30, evidenceDays: 7 },
    });
    expect(await changes()).toHaveLength(1);
  });

  test('The settings of a project say how to connect a tracker instead of offering settings for issues that change nothing', async () => {
    const { admin, organizationId, projectId } = await stage();
    const { text, html, links } = await admin.get(`/${organizationId}/${projectId}/settings`);
    expect(text).toMatch(/No issue tracker is connected ?Connect your team’s tracker: /);
    expect(links).toContain(`/${organizationId}/settings/integrations`);
    expect(html).not.toContain('name="createsPerDay"');
  });

  test('The settings of a project stay the same if the form is sent unchanged, even in a project that was created before retention could be configured', async () => {
    const { admin, settings, read, changes, services, of } = await stage();
    await services.table.update(projects, of, { remove: ['retention'], set: [['inactivityTimeoutSeconds', 200]] });
    const before = await read();
    expect((await fillIn(admin, settings, {})).status).toBe(303);
    expect(await read()).toEqual(before);
    expect(await changes()).toEqual([]);
  });

  test('The settings of a project can switch fail-fast off and keep all results forever', async () => {
    const { admin, settings, read } = await stage();
    const shown = valuesOf(await admin.get(settings));
    await admin.post(settings, { ...shown, failFast: 'true', resultsDays: '5', evidenceDays: '', filesDays: '' });
    expect(await read()).toMatchObject({ failFast: true, retention: { resultsDays: 5 } });
    const { failFast: _, ...off } = valuesOf(await admin.get(settings));
    await admin.post(settings, { ...off, resultsDays: 'Forever', evidenceDays: '', filesDays: '' });
    expect(await read()).toMatchObject({ failFast: false, retention: { resultsDays: null } });
  });

  test.each([
    [{ timeoutMinutes: '2.9' }, 'The inactivity timeout must be'],
    [{ timeoutMinutes: 'soon' }, 'The inactivity timeout must be'],
    [{ tags: 'x'.repeat(65) }, 'A tag of a project must be'],
    [{ resultsDays: '0' }, 'The retention of results must be'],
    [{ filesDays: 'a while' }, 'The retention of files must be'],
    [{ resultsDays: '10', filesDays: '20' }, 'must not be longer than that of results'],
    [{ name: '' }, 'The name of a project must be'],
  ])(
    'The settings of a project do not change if the form is sent with %j, and the form shows an error and keeps what was sent',
    async (wrong, message) => {
      const { admin, settings, read } = await sharedStage();
      const before = await read();
      const refused = await fillIn(admin, settings, {
        name: 'Kept "><b>',
        evidenceDays: '3',
        failFast: 'true',
        ...wrong,
      });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(message);
      expect(valuesOf(refused)).toMatchObject({ evidenceDays: '3', failFast: 'true', ...wrong });
      expect(refusedFields(refused)).toEqual(Object.keys(wrong).slice(-1));
      expect(await read()).toEqual(before);
    },
  );

  test('A settings form that was opened before another person changed other settings does not undo these changes when it is sent', async () => {
    const { admin, settings, read, services, of } = await stage();
    const opened = valuesOf(await admin.get(settings));
    await changeProjectSettings(services, { ...of, settings: { defaultBranchName: 'trunk', failFast: true } });
    expect((await admin.post(settings, { ...opened, name: 'Store' })).status).toBe(303);
    expect(await read()).toMatchObject({ name: 'Store', defaultBranchName: 'trunk', failFast: true });
  });

  test('If another person has changed the same setting since the form was opened, the form shows the new value and has to be saved again', async () => {
    const { admin, settings, read, services, of } = await stage();
    const opened = valuesOf(await admin.get(settings));
    const theirs = { defaultBranchName: 'trunk', tags: ['web'], retention: { filesDays: 3 } };
    await changeProjectSettings(services, { ...of, settings: theirs });
    const mine = { defaultBranchName: 'develop', tags: 'mobile', evidenceDays: '9' };
    const refused = await admin.post(settings, { ...opened, ...mine });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('default branch is now trunk; list of tags is now web');
    expect(refusedFields(refused)).toEqual(['defaultBranchName', 'tags']);
    expect(valuesOf(refused)).toMatchObject({ ...mine, filesDays: '3' });
    expect(await read()).toMatchObject({ defaultBranchName: 'trunk' });
    expect((await admin.post(settings, valuesOf(refused))).status).toBe(303);
    expect(await read()).toMatchObject({ defaultBranchName: 'develop', retention: { evidenceDays: 9, filesDays: 3 } });
  });

  test('The settings of a project are shown as text without a form to everyone but Admins', async () => {
    const here = await stage();
    await changeProjectSettings(here.services, { ...here.of, settings: { tags: ['team: logistics'] } });
    for (const role of ['actionsAdmin', 'member', 'guest'] as const) {
      const seen = await (await signedIn(here, role)).get(here.settings);
      expect(seen.text).toContain('30m 00s');
      expect(seen.text).toContain('team: logistics');
      expect(seen.html).not.toContain('method="post"');
    }
  });
});
