import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { runAdmin } from '#infra/cli/administer.ts';
import { applyPlan } from '#infra/cli/settings-file/apply.ts';
import { readSettingsFile, type SettingsFile } from '#infra/cli/settings-file/document.ts';
import type { Tools } from '#infra/cli/settings-file/plan.ts';
import { planSettings } from '#infra/cli/settings-file/plan-settings.ts';
import { readState } from '#infra/cli/settings-file/state.ts';
import { AUTOMATION, OPERATOR } from '#shared/access/actor.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { createRule } from '#shared/rules/create-rule.ts';
import { NewAction } from '#shared/rules/rule-wire.ts';
import { attack } from '#test/harness/attacks.ts';
import { dyingAfter, interrupted } from '#test/harness/interrupted-table.ts';
import { member } from '#test/harness/people.ts';
import { RULE } from '#test/harness/rules.ts';
import { clock } from '#test/harness/service.ts';
import { contentOf, linesOf } from '#test/harness/stored-content.ts';
import { CHANNEL_ADDRESS, HEADER, plainStage, RECEIVER, type SettingsStage, settingsStage } from './settings-stage.ts';

/** The exported settings, with changes to the first project. */
async function edited(stage: SettingsStage, project: object): Promise<SettingsFile> {
  const file = await stage.exported();
  const [first, ...others] = file.projects ?? [];
  return { ...file, projects: [{ ...first, ...project }, ...others] };
}

const NEW_RULE = {
  name: 'New rule',
  action: [{ op: 'skip' }],
  matcher: { op: 'AND', cond: [{ type: 'file', op: 'eq', value: 'a.spec.ts' }] },
};
const NEW_WEBHOOK = { label: 'New', url: 'https://example.com/hook', signed: true };

/** The exported settings, with changes of many kinds and a new project. */
async function manyEdits(stage: SettingsStage): Promise<SettingsFile> {
  const file = await edited(stage, {
    name: 'Store',
    rules: [NEW_RULE, { ...NEW_RULE, name: 'Disabled', enabled: false }],
    webhooks: [NEW_WEBHOOK],
    notifications: {},
    issues: { quarantines: true },
  });
  const created = {
    name: 'Warehouse',
    tags: ['back'],
    rules: [NEW_RULE],
    webhooks: [{ ...NEW_WEBHOOK, enabled: false }],
  };
  return { ...file, sharing: { shareDays: 1, aiMayRead: false }, projects: [...(file.projects ?? []), created] };
}

/** Plans and applies the file as the command does, with these tools. */
async function applyWith(stage: SettingsStage, tools: Tools, file: SettingsFile): Promise<void> {
  const { organizationId } = stage;
  const state = await readState(stage.services, { organizationId, actor: OPERATOR });
  const placed = readSettingsFile(JSON.stringify(file), 'rundown.yaml');
  const parts = planSettings(state, placed, { now: stage.services.now(), privateReceivers: 'machine' });
  await applyPlan(tools, { organizationId, actor: state.actor, parts }, { onDone: () => {}, onSecret: () => {} });
}

describe('npm run admin settings', () => {
  test('Settings that were exported and applied again change no row and leave no audit record', async () => {
    const stage = await settingsStage();
    const { ARTIFACTS_BUCKET: _, ...table } = stage.environment;
    const rows = async () => linesOf(await contentOf(table));
    const before = await rows();
    for (const more of [[], ['--with-addresses']]) {
      await stage.exportFile(...more);
      expect(await stage.diff()).toMatchObject({ status: 0 });
      const applied = await stage.apply();
      expect(applied).toMatchObject({
        status: 0,
        output: 'The organization already has these settings.\n',
        errors: '',
      });
    }
    expect(await rows()).toEqual(before);
  });

  test('Exported settings name each channel of a project, also a second one of the same kind', async () => {
    const stage = await settingsStage();
    const { organizationId, projectId, tools } = stage;
    const settings = { kind: 'slack', place: 'slack-2', runs: 'all', credential: CHANNEL_ADDRESS } as const;
    const request = { organizationId, projectId, actor: OPERATOR, settings };
    await saveNotification({ ...tools, secrets: await tools.secrets() }, request);
    const { projects } = await stage.exported();
    const channels = { slack: { runs: 'failed' }, 'slack-2': { runs: 'all' } };
    expect(projects?.[0]?.notifications).toMatchObject(channels);
    await stage.exportFile();
    expect(await stage.diff()).toMatchObject({ status: 0 });
  });

  test('An export contains no secret, and the address of a webhook only with --with-addresses', async () => {
    const stage = await settingsStage();
    const secrets = [CHANNEL_ADDRESS, HEADER, stage.tracker.token, 'whsec_'];
    await stage.exportFile();
    const plain = await readFile(stage.file, 'utf8');
    for (const secret of [...secrets, RECEIVER]) expect(plain).not.toContain(secret);
    expect(plain).toContain('# Sends to hooks.example.com\n');
    expect(plain).toContain('# Has headers, which may be secret');
    await stage.exportFile('--with-addresses');
    const complete = await readFile(stage.file, 'utf8');
    for (const secret of secrets) expect(complete).not.toContain(secret);
    expect(complete).toContain(`url: ${RECEIVER}`);
  });

  test('settings diff shows each difference without secrets, changes nothing, and ends with exit code 3', async () => {
    const stage = await settingsStage();
    const before = await stage.exported();
    await stage.write(
      await edited(stage, { name: 'Store', webhooks: [{ label: 'CI', url: `${RECEIVER}/new`, enabled: false }] }),
    );
    const { status, output } = await stage.diff();
    expect(status).toBe(3);
    expect(output).toBe(
      [
        `Project Shop (${stage.projectId})`,
        '  ~ project "Shop"',
        '      name: "Shop" → "Store"',
        '  ~ webhook "CI"',
        '      url: "https://hooks.example.com/…" → "https://hooks.example.com/…"',
        '      enabled: true → false',
        '',
        '2 to be changed.',
        '',
      ].join('\n'),
    );
    const { changes, byHand } = JSON.parse((await stage.diff('--json')).output);
    expect(changes).toMatchObject([
      { verb: 'change', kind: 'project', fields: [{ name: 'name', from: 'Shop', to: 'Store' }] },
      { verb: 'change', kind: 'webhook', name: 'CI', project: 'Shop' },
    ]);
    expect(byHand).toEqual([]);
    expect(await stage.exported()).toEqual(before);
  });

  test('Rules and notifications that are missing from a list in a settings file are removed, but settings that the file does not mention, such as webhooks, stay', async () => {
    const stage = await settingsStage();
    const { rules, webhooks, ...others } = (await stage.exported()).projects?.[0] ?? {};
    await stage.write({ version: 1, projects: [{ id: stage.projectId, rules: [], notifications: {} }] });
    expect((await stage.diff()).output).toContain(
      ['  - rule "Payment is flaky"  it is archived', '  - notification "Slack"  its stored secret is deleted'].join(
        '\n',
      ),
    );
    expect(await stage.apply()).toMatchObject({ status: 0, errors: '' });
    const after = (await stage.exported()).projects?.[0];
    expect(after).toEqual({ ...others, rules: [], webhooks, notifications: {} });
    expect(rules).toHaveLength(1);
    await stage.write({ version: 1, projects: [] });
    expect(await stage.diff()).toMatchObject({ status: 0 });
  });

  test('A quarantine that issue automation created is not exported, and is not removed when a settings file is applied', async () => {
    const stage = await settingsStage();
    const { organizationId, projectId, services } = stage;
    const input = NewAction.parse({ ...RULE, name: 'Quarantine of automation' });
    await createRule(services, { organizationId, projectId, actor: AUTOMATION, input });
    await stage.exportFile();
    expect(await readFile(stage.file, 'utf8')).not.toContain('Quarantine of automation');
    await stage.write({ version: 1, projects: [{ id: projectId, rules: [] }] });
    await stage.apply();
    const { body } = await stage.api.get(`/actions?projectId=${projectId}&status[]=active`);
    expect(body.data).toMatchObject([{ name: 'Quarantine of automation' }]);
  });

  test('Applying a settings file without ids creates what is missing, shows each new signing secret once, and changes nothing the second time', async () => {
    const stage = await settingsStage();
    await stage.write({
      version: 1,
      projects: [{ name: 'Shop' }, { name: 'Warehouse', rules: [NEW_RULE], webhooks: [NEW_WEBHOOK] }],
    });
    const { status, output } = await stage.apply();
    expect(status).toBe(0);
    expect(output.match(/webhook "New" of Warehouse is shown only once: whsec_[\w+/=]{40,}\n/g)).toHaveLength(1);
    expect((await stage.audited()).slice(-3).sort()).toEqual(['action created', 'project created', 'webhook created']);
    expect(await stage.diff()).toMatchObject({ status: 0 });
    expect(await stage.apply()).toMatchObject({ status: 0, output: 'The organization already has these settings.\n' });
  });

  test('Changes that need a secret are listed as changes to make by hand, and the other changes are made', async () => {
    const stage = await settingsStage();
    const file = await edited(stage, {
      name: 'Store',
      notifications: { slack: { runs: 'failed' }, teams: { runs: 'all' } },
    });
    const integrations = (file.integrations ?? []).map((one) => ({ ...one, apiUrl: 'https://other.example.com' }));
    await stage.write({ ...file, integrations: [...integrations, { name: 'Jira', kind: 'jira' }] });
    const { status, output } = await stage.apply();
    expect(status).toBe(0);
    expect(output).toContain('  ! connection "Issues"  by hand\n');
    expect(output).toContain('  ! connection "Jira"  by hand\n');
    expect(output).toContain('  ! notification "Microsoft Teams"  by hand\n      runs: "all"\n      Create it at');
    expect(output).toContain('1 to be changed, 3 left for you.');
    expect((await stage.exported()).projects?.[0]?.name).toBe('Store');
    expect(await stage.diff()).toMatchObject({ status: 3, output: expect.stringMatching(/\n3 left for you\.\n$/) });
  });

  test('A deleted project is in no export, and a settings file that names it is refused with the command that restores it', async () => {
    const stage = await settingsStage();
    await stage.exportFile();
    const earlier = await readFile(stage.file, 'utf8');
    await stage.api.send('DELETE', `/projects/${stage.projectId}`);
    expect((await stage.exported()).projects).toEqual([]);
    await stage.write(earlier);
    const { status, errors } = await stage.apply();
    expect({ status, errors }).toEqual({ status: 2, errors: expect.stringContaining('projects restore') });
  });

  test('A member with the role Admin can apply a settings file and is named in the audit log, and a member with another role is refused', async () => {
    const stage = await settingsStage();
    const [admin, other] = await Promise.all([member(stage, 'admin'), member(stage, 'actionsAdmin')]);
    await stage.write(await manyEdits(stage));
    expect(await stage.apply('--as', other.email)).toMatchObject({
      status: 2,
      errors: expect.stringContaining('Admin'),
    });
    expect(await stage.exportFile('--as', other.email)).toMatchObject({ status: 2 });
    expect(await stage.apply('--as', admin.email)).toMatchObject({ status: 0, errors: '' });
    const { output } = await stage.run('audit', 'list', '--organization', stage.organizationId);
    expect(output.match(new RegExp(admin.email, 'g'))).toHaveLength(10);
  });
});

describe('npm run admin settings apply without --yes', () => {
  /** Runs the command without --yes. `answer` is called when the question appears, and returns the reply. */
  async function asked(stage: SettingsStage, answer: () => Promise<string>) {
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
    errors.on('data', async (chunk) => {
      if (String(chunk).includes('Type yes')) input.write(`${await answer()}\n`);
    });
    const shown = text(output);
    const complained = text(errors);
    const words = ['settings', 'apply', '--organization', stage.organizationId, '--file', stage.file];
    const status = await runAdmin(words, { input, output, errors });
    for (const stream of [output, errors]) stream.end();
    return { status, output: await shown, errors: await complained };
  }

  test('settings apply makes the planned changes after the answer yes, and changes nothing after another answer or without a terminal', async () => {
    const stage = await settingsStage();
    await stage.write(await edited(stage, { name: 'Store' }));
    const nameNow = async () => (await stage.api.get(`/projects/${stage.projectId}`)).body.data.name;
    expect(await asked(stage, async () => 'no')).toMatchObject({
      status: 1,
      errors: expect.stringContaining('Not confirmed. Nothing was changed'),
    });
    const words = ['--organization', stage.organizationId, '--file', stage.file];
    expect(await stage.run('settings', 'apply', ...words)).toMatchObject({
      status: 2,
      errors: expect.stringContaining('Add --yes'),
    });
    expect(await nameNow()).toBe('Shop');
    expect(await asked(stage, async () => 'yes')).toMatchObject({
      status: 0,
      output: expect.stringContaining('1 change was made.'),
    });
    expect(await nameNow()).toBe('Store');
  });

  test('If somebody changes the settings before the question of settings apply is answered, nothing is applied', async () => {
    const stage = await settingsStage();
    await stage.write(await edited(stage, { name: 'Store', failFast: true }));
    const { status, errors } = await asked(stage, async () => {
      await stage.api.put(`/projects/${stage.projectId}`, { name: 'Kiosk' });
      return 'yes';
    });
    expect({ status, errors }).toEqual({
      status: 2,
      errors: expect.stringContaining('changed while you read the plan'),
    });
    expect((await stage.api.get(`/projects/${stage.projectId}`)).body.data).toMatchObject({
      name: 'Kiosk',
      failFast: false,
    });
  });
});

describe('A settings file that is being applied', () => {
  test('A settings file can be applied again after an interruption between its writes, with the same settings and audit records as without an interruption', async () => {
    const whole = await settingsStage();
    await whole.write(await manyEdits(whole));
    await whole.apply();
    const shape = async (stage: SettingsStage) => JSON.stringify(await stage.exported(), comparable);
    const [expected, records] = [await shape(whole), (await whole.audited()).sort()];
    const before = whole.recordsAtFirst;
    const writes = records.length - before;
    expect(writes).toBe(14);
    for (let after = 0; after < writes; after += 3) {
      const stage = await settingsStage();
      const file = await manyEdits(stage);
      const dying = dyingAfter(stage.tools, after);
      await expect(applyWith(stage, dying, file)).rejects.toThrow('The process has died');
      await stage.write(file);
      await stage.apply();
      expect({ after, shape: await shape(stage) }).toEqual({ after, shape: expected });
      expect({ after, records: (await stage.audited()).sort() }).toEqual({ after, records });
    }
  });

  test.each<[string, object, (stage: SettingsStage) => Promise<unknown>]>([
    ['project', { name: 'Store' }, ({ api, projectId }) => api.put(`/projects/${projectId}`, { name: 'Kiosk' })],
    [
      'rule',
      { rules: [] },
      async ({ api, projectId }) => {
        const [{ actionId }] = (await api.get(`/actions?projectId=${projectId}`)).body.data;
        return api.put(`/actions/${actionId}`, { name: 'Kiosk' });
      },
    ],
    [
      'webhook',
      { webhooks: [] },
      async ({ api, projectId }) => {
        const [{ hookId }] = (await api.get(`/webhooks?projectId=${projectId}`)).body.data;
        return api.put(`/webhooks/${hookId}`, { label: 'Kiosk' });
      },
    ],
  ])('A settings file does not overwrite a %s that somebody changes at the same moment', async (_, project, change) => {
    const stage = await settingsStage();
    const file = await edited(stage, project);
    const tools = interrupted(stage.tools, async () => {
      clock.advance(1000);
      expect(await change(stage)).toMatchObject({ status: 200 });
    });
    await expect(applyWith(stage, tools, file)).rejects.toThrow('at the same time');
    expect(JSON.stringify(await stage.exported())).toContain('Kiosk');
  });
});

/** Leaves out ids and addresses of test services, and sorts rules, because those of one millisecond have no order. */
function comparable(name: string, value: unknown): unknown {
  if (['id', 'organization', 'apiUrl'].includes(name)) return '';
  return name === 'rules' && Array.isArray(value)
    ? value.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    : value;
}

const YAML = (project: string) => `version: 1\nprojects:\n  - name: Shop\n${project}`;

describe('A settings file with mistakes', () => {
  test.each([
    ['an unknown setting', YAML('    nme: Store\n'), 'line 4: projects[0].nme: is not a setting'],
    [
      'a number as a name',
      'version: 1\nprojects:\n  - name: 12\n',
      'line 3: projects[0].name: must be text. Put it in quotes',
    ],
    [
      'an empty list without brackets',
      YAML('    rules:\n'),
      'line 4: projects[0].rules: must be a list. Write [] for an empty one',
    ],
    ['a setting that occurs twice', YAML('    tags: []\n    tags: []\n'), 'line 5: tags: occurs twice'],
    [
      'a project that is listed twice',
      YAML('  - name: Shop\n'),
      'line 4: projects[1]: The project Shop is listed twice',
    ],
    ['an unknown id', 'version: 1\nprojects:\n  - id: abc\n', 'line 3: projects[0].id: No project has this id'],
    [
      'another organization',
      'version: 1\norganization: other\n',
      'line 2: organization: The file is for another organization',
    ],
    [
      'a value out of range',
      YAML('    inactivityTimeoutSeconds: 5\n'),
      'line 4: projects[0].inactivityTimeoutSeconds: The inactivity timeout must be',
    ],
    [
      'a wrong retention',
      YAML('    retention: { resultsDays: 1, evidenceDays: 1, filesDays: 2 }\n'),
      'line 4: projects[0].retention: The retention of files must not be longer',
    ],
    [
      'a rule without conditions',
      YAML('    rules:\n      - name: R\n'),
      'line 5: projects[0].rules[0].matcher: is required',
    ],
    [
      'a misspelled condition',
      YAML(
        '    rules:\n      - name: R\n        action: [{ op: skip }]\n        matcher: { op: AND, cond: [{ type: tag, op: any, valeu: x }] }\n',
      ),
      'line 7: projects[0].rules[0].matcher.cond[0].valeu: is not a setting. An export shows all names',
    ],
    [
      'a rule that has expired',
      YAML(`    rules: [{ ${JSON.stringify(NEW_RULE).slice(1, -1)}, expiresAfter: 2020-01-01 }]\n`),
      'rules[0].expiresAfter: `expiresAfter` must be in the future',
    ],
    [
      'a webhook with an FTP address',
      YAML('    webhooks:\n      - url: ftp://example.com\n'),
      'line 5: projects[0].webhooks[0].url: The URL begins neither with',
    ],
    [
      'a new webhook without an address',
      YAML('    webhooks:\n      - label: Other\n'),
      'line 5: projects[0].webhooks[0]: Add the url',
    ],
    [
      'two rules with the same name',
      YAML('    rules:\n      - name: R\n      - name: R\n'),
      'line 6: projects[0].rules[1]: The rule R is listed twice',
    ],
    [
      'automation without a connection',
      YAML('    issues: { createsWhenFlaky: true }\n'),
      'line 4: projects[0].issues: Choose where the issues are created',
    ],
    [
      'an unknown connection',
      YAML('    issues: { integration: other }\n'),
      'line 4: projects[0].issues.integration: No connection has this id',
    ],
    ['an alias', 'version: 1\nprojects: &all\n  - name: Shop\n    rules: *all\n', 'line 4: Aliases are not supported'],
    ['an unfinished list', 'version: 1\nprojects: [\n', 'line 3: '],
    ['an unknown tag', 'version: 1\nprojects: !!js/function x\n', 'line 2: '],
    ['two documents', 'version: 1\n---\nversion: 1\n', 'multiple documents'],
    ['no content', '', 'is not a settings file'],
    ['a million brackets', '['.repeat(1_000_000), 'is nested too deeply'],
    ['a million dashes', '- '.repeat(1_000_000), 'is nested too deeply'],
    [
      'a staircase of settings',
      Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      'is nested too deeply',
    ],
    ['too many bytes', `# ${'x'.repeat(5_000_000)}`, 'has more than 5000000 bytes'],
    [
      'many mistakes',
      YAML(Array.from({ length: 30 }, (_, number) => `    a${number}: 1\n`).join('')),
      '\n  and 10 more\n',
    ],
  ])('A settings file with %s is refused, and the error says what is wrong', async (_, content, problem) => {
    const stage = await plainStage();
    await stage.write(content);
    const { status, errors } = await stage.apply();
    attack('settings files');
    expect({ status, errors }).toEqual({ status: 2, errors: expect.stringContaining(problem) });
  });

  test('If any part of a settings file is wrong, no part of it is applied', async () => {
    const stage = await plainStage();
    const before = await stage.audited();
    await stage.write(YAML('    failFast: true\n  - name: Other\n    inactivityTimeoutSeconds: 5\n'));
    expect(await stage.apply()).toMatchObject({ status: 2 });
    expect(await stage.audited()).toEqual(before);
  });

  test('A settings file that gives an unknown project access to an issue tracker is refused', async () => {
    const stage = await settingsStage();
    await stage.write('version: 1\nintegrations:\n  - name: Issues\n    projects: [other]\n');
    const problem = 'line 4: integrations[0].projects[0]: No project has this id';
    expect(await stage.apply()).toMatchObject({ status: 2, errors: expect.stringContaining(problem) });
  });

  test('A settings file that does not exist is refused with the reason', async () => {
    const stage = await plainStage();
    const words = ['settings', 'diff', '--organization', stage.organizationId, '--file', '/nothing/here.yaml'];
    expect(await stage.run(...words)).toMatchObject({ status: 2, errors: expect.stringContaining('ENOENT') });
  });
});
