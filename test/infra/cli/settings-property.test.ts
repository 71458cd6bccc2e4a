/** Random edits of a settings file, each with a handwritten list of the audit records that it must leave. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GivenProject, GivenRule, GivenWebhook, SettingsFile } from '#infra/cli/settings-file/document.ts';
import { cases } from '#test/harness/cases.ts';
import { type SettingsStage, settingsStage } from './settings-stage.ts';

/** A new file, and the audit records of its changes. */
interface Edited {
  readonly file: SettingsFile;
  readonly records: readonly string[];
}

type Edit = (file: SettingsFile, number: number) => Edited;

const firstOf = ({ projects = [] }: SettingsFile): GivenProject => projects[0] ?? {};

const ofProject =
  (edit: (project: GivenProject, number: number) => GivenProject, ...records: string[]): Edit =>
  (file, number) => {
    const [project = {}, ...others] = file.projects ?? [];
    return { file: { ...file, projects: [edit(project, number), ...others] }, records };
  };

const project = (settings: (number: number) => Partial<GivenProject>): Edit =>
  ofProject((now, number) => ({ ...now, ...settings(number) }), 'project changed');

const issues = (settings: (number: number) => NonNullable<GivenProject['issues']>): Edit =>
  ofProject((now, number) => ({ ...now, issues: { ...now.issues, ...settings(number) } }), 'project changed');

const ruleOf = (number: number, more: GivenRule = {}): GivenRule => ({
  name: `Rule ${number}`,
  description: null,
  action: [{ op: 'tag', details: { tags: [`t${number}`] } }],
  matcher: { op: 'OR', cond: [{ type: 'file', op: 'eq', value: `${number}.spec.ts` }] },
  expiresAfter: null,
  enabled: true,
  ...more,
});

/** Changes one rule, or adds one if there is none. `records` may depend on the rule before the change. */
const rule =
  (edit: (rule: GivenRule, number: number) => GivenRule, records: (rule: GivenRule) => readonly string[]): Edit =>
  (file, number) => {
    const { rules = [] } = firstOf(file);
    const chosen = rules[number % rules.length];
    if (chosen === undefined)
      return ofProject((now) => ({ ...now, rules: [ruleOf(number)] }), 'action created')(file, number);
    const changed = rules.map((one) => (one === chosen ? edit(one, number) : one));
    return ofProject((now) => ({ ...now, rules: changed }), ...records(chosen))(file, number);
  };

const webhook =
  (
    edit: (webhook: GivenWebhook, number: number) => GivenWebhook,
    records: (webhook: GivenWebhook) => readonly string[],
  ): Edit =>
  (file, number) => {
    const { webhooks = [] } = firstOf(file);
    const chosen = webhooks[number % webhooks.length];
    if (chosen === undefined) return addWebhook(file, number);
    const changed = webhooks.map((one) => (one === chosen ? edit(one, number) : one));
    return ofProject((now) => ({ ...now, webhooks: changed }), ...records(chosen))(file, number);
  };

const addRule: Edit = ofProject((now, number) => ({ ...now, rules: [...(now.rules ?? []).slice(-6), ruleOf(number)] }));
const addWebhook: Edit = (file, number) => {
  const { webhooks = [] } = firstOf(file);
  const added = {
    label: `Hook ${number}`,
    url: 'https://example.com/a/b',
    hookEvents: [],
    signed: false,
    enabled: true,
  };
  return ofProject((now) => ({ ...now, webhooks: [...webhooks.slice(-6), added] }))(file, number);
};
/** Adds the audit records to an edit that appends an object to a list, of which only the newest seven are kept. */
const adding =
  (edit: Edit, list: 'rules' | 'webhooks', removed: string, created: string): Edit =>
  (file, number) => {
    const count = firstOf(file)[list]?.length ?? 0;
    return { ...edit(file, number), records: [...Array(Math.max(0, count - 6)).fill(removed), created] };
  };

const MATCHERS: readonly GivenRule['matcher'][] = [
  {
    op: 'AND',
    cond: [
      { type: 'tag', op: 'any' },
      { type: 'title', op: 'inc', value: ['a', { type: 'RegexPattern', pattern: '^x' }] },
    ],
  },
  { op: 'AND', cond: [{ type: 'git_branch', op: 'neq', value: 'yes: no # "' }] },
];

const EDITS: Readonly<Record<string, Edit>> = {
  'the name of the project': project((number) => ({ name: `Shop ${number}: "a" # b` })),
  'the tags of the project': project((number) => ({ tags: [`team ${number}`, 'yes', '007'] })),
  'the default branch': project((number) => ({ defaultBranchName: `release/${number}` })),
  'the time-out': project((number) => ({ inactivityTimeoutSeconds: 200 + number })),
  'fail fast': ofProject((now) => ({ ...now, failFast: !now.failFast }), 'project changed'),
  retention: project((number) => ({
    retention: { resultsDays: 200 + number, evidenceDays: 'default', filesDays: 10 + number },
  })),
  'several settings at once': project((number) => ({ name: `Store ${number}`, tags: [], failFast: number % 2 === 0 })),
  'the passes of issues': issues((number) => ({ closesAfterPasses: 1 + (number % 50) })),
  'a new rule': adding(addRule, 'rules', 'action archived', 'action created'),
  'the name of a rule': rule(
    (now, number) => ({ ...now, name: `Renamed ${number}` }),
    () => ['action changed'],
  ),
  'the conditions of a rule': rule(
    (now, number) => ({
      ...now,
      description: `For ${number}\nand more`,
      matcher: MATCHERS[number % MATCHERS.length],
      expiresAfter: `2027-01-01T00:00:00.${String(number).padStart(3, '0')}Z`,
    }),
    () => ['action changed'],
  ),
  'whether a rule is enabled': rule(
    (now) => ({ ...now, enabled: now.enabled === false }),
    ({ enabled }) => [enabled ? 'action disabled' : 'action enabled'],
  ),
  'a renamed and switched rule': rule(
    (now, number) => ({ ...now, name: `Switched ${number}`, enabled: now.enabled === false }),
    ({ enabled }) => ['action changed', enabled ? 'action disabled' : 'action enabled'],
  ),
  'a new webhook': adding(addWebhook, 'webhooks', 'webhook deleted', 'webhook created'),
  'the label and the state of a webhook': webhook(
    (now, number) => ({ ...now, label: `Renamed ${number}`, enabled: now.enabled === false }),
    () => ['webhook changed'],
  ),
  'the events of a webhook': webhook(
    (now) => ({ ...now, hookEvents: (now.hookEvents ?? []).length === 0 ? ['RUN_FINISH', 'RUN_START'] : [] }),
    () => ['webhook changed'],
  ),
  'the signature of a webhook': webhook(
    (now) => ({ ...now, signed: now.signed === false }),
    ({ signed }) => [signed ? 'webhook secret deleted' : 'webhook secret rotated'],
  ),
  'the sharing settings': (file) => ({
    file: {
      ...file,
      sharing: { shareDays: file.sharing?.shareDays === 3 ? 1 : 3, aiMayRead: file.sharing?.shareDays === 3 },
    },
    records: ['organization changed'],
  }),
  'the name of a connection': (file, number) => ({
    file: { ...file, integrations: (file.integrations ?? []).map((one) => ({ ...one, name: `Issues ${number}` })) },
    records: ['integration changed'],
  }),
  'the messages of a channel': ofProject(
    (now) => ({
      ...now,
      notifications: { slack: { runs: now.notifications?.slack?.runs === 'all' ? 'changed' : 'all', enabled: true } },
    }),
    'notification changed',
  ),
};

/** The settings with sorted rules and webhooks, without their ids and without the addresses of webhooks. */
const comparable = ({ projects = [], ...file }: SettingsFile) => ({
  ...file,
  projects: projects.map(({ rules = [], webhooks = [], ...others }) => ({
    ...others,
    rules: rules.map(({ id: _, ...one }) => one).sort(byJson),
    webhooks: webhooks.map(({ id: _, url: __, ...one }) => one).sort(byJson),
  })),
});
const byJson = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

/** The settings as scripts read them through the API. */
async function readByApi({ api, projectId }: SettingsStage) {
  const [project, rules, webhooks] = await Promise.all([
    api.get(`/projects/${projectId}`),
    api.get(`/actions?projectId=${projectId}&status[]=active&status[]=disabled`),
    api.get(`/webhooks?projectId=${projectId}`),
  ]);
  return {
    project: project.body.data,
    rules: rules.body.data.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`).sort(),
    webhooks: webhooks.body.data
      .map(
        ({ label, signed, disabled }: { label: string; signed: boolean; disabled: unknown }) =>
          `${label} ${signed} ${disabled === null}`,
      )
      .sort(),
  };
}

test('Each edit of an exported settings file is applied exactly, leaves the audit records of its changes, and changes nothing when it is applied again', async () => {
  const stage = await settingsStage();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.entries(EDITS)), async ([name, edit]) => {
      number += 1;
      const before = await stage.audited();
      const { file, records } = edit(await stage.exported(), number);
      await stage.write(file);
      expect(await stage.apply()).toMatchObject({ status: 0, errors: '' });
      const after = await stage.audited();
      // Records of the same millisecond have no order.
      expect({ name, records: after.slice(before.length).sort() }).toEqual({ name, records: [...records].sort() });
      expect(comparable(await stage.exported())).toEqual(comparable(file));
      const { rules = [], webhooks = [], ...wanted } = firstOf(file);
      expect(await readByApi(stage)).toMatchObject({
        project: { name: wanted.name, tags: wanted.tags, failFast: wanted.failFast },
        rules: rules.map((one) => `${one.name} ${one.enabled ? 'active' : 'disabled'}`).sort(),
        webhooks: webhooks.map((one) => `${one.label} ${one.signed} ${one.enabled}`).sort(),
      });
      expect(await stage.apply()).toMatchObject({
        status: 0,
        output: 'The organization already has these settings.\n',
      });
      expect(await stage.audited()).toEqual(after);
    }),
    { numRuns: cases(500, 12) },
  );
});
