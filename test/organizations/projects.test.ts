import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { changeProjectSettings, readProjectSettings } from '#shared/organizations/project-settings.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import type { SettingsChange } from '#shared/organizations/setting-declarations.ts';
import { service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import type { Stage } from './cast.ts';

const scopeOf = ({ organizationId, projectId }: Stage) => ({ organizationId, projectId, actor: OPERATOR });
const change = (stage: Stage, settings: SettingsChange) =>
  changeProjectSettings(stage.services, { ...scopeOf(stage), settings });

describe('§3 The settings of a project', () => {
  test('The settings of a project have defaults, and can be changed one by one or together', async () => {
    const stage = await service();
    const defaults = { name: 'Shop', inactivityTimeoutSeconds: 1800, failFast: false, defaultBranchName: 'main' };
    expect(await readProjectSettings(stage.services, scopeOf(stage))).toMatchObject(defaults);
    await change(stage, { failFast: true });
    await change(stage, { name: ' Store ', defaultBranchName: 'trunk', inactivityTimeoutSeconds: 600 });
    const changed = { name: 'Store', inactivityTimeoutSeconds: 600, failFast: true, defaultBranchName: 'trunk' };
    expect(await readProjectSettings(stage.services, scopeOf(stage))).toMatchObject(changed);
    expect((await stage.reader.get(`/projects/${stage.projectId}`)).body.data).toMatchObject(changed);
  });

  test.each([180, 181, 1800, 43_199, 43_200])(
    'The inactivity timeout of a project can be set to %i seconds',
    async (inactivityTimeoutSeconds) => {
      const stage = await service();
      expect(await change(stage, { inactivityTimeoutSeconds })).toMatchObject({ inactivityTimeoutSeconds });
    },
  );

  test.each<[SettingsChange['retention'], object]>([
    [{ resultsDays: 30 }, { resultsDays: 30, evidenceDays: 14, filesDays: 14 }],
    [{ resultsDays: 7 }, { resultsDays: 7, evidenceDays: 7, filesDays: 7 }],
    [
      { resultsDays: null, evidenceDays: null },
      { resultsDays: null, evidenceDays: null, filesDays: 14 },
    ],
    [{ evidenceDays: 3650 }, { resultsDays: 30, evidenceDays: 30, filesDays: 14 }],
    [
      { resultsDays: 3650, evidenceDays: 1, filesDays: 3650 },
      { resultsDays: 3650, evidenceDays: 1, filesDays: 3650 },
    ],
  ])(
    'If the retention of a project is set to %j, defaults fill in the rest, and nothing is kept longer than the results: %j',
    async (retention, shown) => {
      const { services, reader, organizationId } = await service();
      const owner = { organizationId, actor: OPERATOR };
      const { projectId } = await createProject(services, { ...owner, name: 'Web' });
      const read = async () => (await reader.get(`/projects/${projectId}`)).body.data.retention;
      expect(await read()).toEqual({ resultsDays: 30, evidenceDays: 14, filesDays: 14 });
      await changeProjectSettings(services, { ...owner, projectId, settings: { retention } });
      expect(await read()).toEqual(shown);
    },
  );

  test('A project that was created before the retention setting existed keeps everything until a retention is set', async () => {
    const stage = await service();
    const { table } = stage.services;
    await table.update(projects, scopeOf(stage), { remove: ['retention'] });
    const shown = async () => (await stage.reader.get(`/projects/${stage.projectId}`)).body.data.retention;
    expect(await shown()).toEqual({ resultsDays: null, evidenceDays: null, filesDays: null });
    await change(stage, { retention: { filesDays: 3 } });
    expect(await shown()).toEqual({ resultsDays: null, evidenceDays: null, filesDays: 3 });
    await table.update(projects, scopeOf(stage), { remove: ['retention'] });
    await change(stage, { retention: { resultsDays: 20 } });
    expect(await shown()).toEqual({ resultsDays: 20, evidenceDays: 14, filesDays: 14 });
  });

  const branch = (defaultBranchName: string): SettingsChange => ({ defaultBranchName });
  test.each<[SettingsChange, string]>([
    [{ inactivityTimeoutSeconds: 179 }, '180 to 43200 whole seconds'],
    [{ inactivityTimeoutSeconds: 43_201 }, '180 to 43200 whole seconds'],
    [{ inactivityTimeoutSeconds: 200.5 }, '180 to 43200 whole seconds'],
    [{ inactivityTimeoutSeconds: Number.NaN }, '180 to 43200 whole seconds'],
    [{ name: '  ' }, 'one line of 1 to 128 characters'],
    [{ name: 'x'.repeat(129) }, 'one line of 1 to 128 characters'],
    [{ name: 'a\tb' }, 'control characters'],
    [{ retention: { resultsDays: 0 } }, 'The retention of results must be 1 to 3650 whole days'],
    [{ retention: { filesDays: 3651 } }, 'The retention of files must be 1 to 3650 whole days'],
    [{ retention: { evidenceDays: 1.5 } }, 'The retention of evidence must be 1 to 3650 whole days'],
    [{ retention: { resultsDays: 6, evidenceDays: 7, filesDays: 1 } }, 'The retention of evidence must not be longer'],
    [{ retention: { resultsDays: 6, evidenceDays: 6, filesDays: null } }, 'The retention of files must not be longer'],
    [branch(''), 'one line of 1 to 250 characters'],
    [branch('x'.repeat(251)), 'one line of 1 to 250 characters'],
  ])(
    'The project settings %j are refused, the error says which values are allowed, and nothing is changed',
    async (settings, problem) => {
      const stage = await service();
      const before = await linesOfOrganization(stage);
      await expect(change(stage, { ...settings, failFast: true })).rejects.toThrow(problem);
      expect(await linesOfOrganization(stage)).toEqual(before);
    },
  );

  test('Simultaneous changes of different settings are all kept', async () => {
    const stage = await service();
    await Promise.all([
      change(stage, { name: 'Store' }),
      change(stage, { failFast: true }),
      change(stage, { inactivityTimeoutSeconds: 300 }),
      change(stage, { defaultBranchName: 'trunk' }),
    ]);
    const all = { name: 'Store', inactivityTimeoutSeconds: 300, failFast: true, defaultBranchName: 'trunk' };
    expect(await readProjectSettings(stage.services, scopeOf(stage))).toMatchObject(all);
  });

  test('Simultaneous changes of a setting leave audit records that form an unbroken chain of old and new values', async () => {
    const stage = await service();
    const names = ['Ann', 'Ben', 'Cem', 'Dan', 'Eve'];
    await Promise.all(names.map((name) => change(stage, { name })));
    const { organizationId, services } = stage;
    const { records } = await readAudit(services, { organizationId, actor: OPERATOR });
    const steps = records.flatMap(({ action, detail }) => (action === 'project changed' ? [detail] : []));
    const followers = new Map(steps.map((step) => [/^name: (\w+) to/.exec(step)?.[1], /to (\w+)$/.exec(step)?.[1]]));
    const walked = [];
    for (let name: string | undefined = 'Shop'; name; name = followers.get(name)) walked.push(name);
    expect(steps).toHaveLength(names.length);
    expect(walked.sort()).toEqual(['Shop', ...names].sort());
  });

  test('The settings of a project of another organization can be neither read nor changed', async () => {
    const stage = await service();
    const { projectId } = await service();
    const foreign = { ...scopeOf(stage), projectId };
    await expect(readProjectSettings(stage.services, foreign)).rejects.toThrow('Project not found');
    const changed = changeProjectSettings(stage.services, { ...foreign, settings: { failFast: true } });
    await expect(changed).rejects.toThrow('Project not found');
  });
});

test('§3 a new project gets another random id if the generated id is already in use', async () => {
  const stage = await service();
  const { services, organizationId, projectId } = stage;
  const ids = [projectId, projectId, 'abc123'];
  const randomId = (characters: number) => (characters === 6 ? (ids.shift() ?? '') : services.randomId(characters));
  const made = await createProject({ ...services, randomId }, { organizationId, name: 'New', actor: OPERATOR });
  expect(made.projectId).toBe('abc123');
  expect((await stage.reader.get(`/projects/${projectId}`)).body.data).toMatchObject({ name: 'Shop' });
});
