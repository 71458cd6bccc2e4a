/** An organization with settings of every kind, and the commands that read and write them as a file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SettingsFile } from '#infra/cli/settings-file/document.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { changeAutomation, readAutomation } from '#shared/issues/automation/settings.ts';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { connectSecrets, connectTrackers } from '#shared/platform/connect.ts';
import { administration } from '#test/harness/administration.ts';
import { createRule } from '#test/harness/rules.ts';
import { GithubIssues } from '#test/harness/trackers/github.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

export const CHANNEL_ADDRESS = 'https://hooks.slack.com/services/T0/B0/secret-of-the-channel';
export const RECEIVER = 'https://hooks.example.com/secret-path-of-the-receiver';
export const HEADER = 'secret-value-of-the-header';

/** An organization with one project, and the commands that export, compare and apply its settings. */
export async function plainStage() {
  const { tenant, run, json } = await administration();
  const { organizationId, services } = tenant;
  const file = join(await temporaryFolder(), 'rundown.yaml');
  const of = ['--organization', organizationId];
  const command = (verb: string, ...more: string[]) => run('settings', verb, ...of, '--file', file, ...more);
  const records = () => services.table.queryAll(auditRecords, getAuditSpan({ organizationId }), { consistent: true });
  return {
    ...tenant,
    file,
    run,
    /** The settings as exported without addresses. `write` stores them as JSON, which is valid YAML. */
    exported: (): Promise<SettingsFile> => json('settings', 'export', ...of),
    write: (content: unknown) => writeFile(file, typeof content === 'string' ? content : JSON.stringify(content)),
    exportFile: (...more: string[]) => command('export', ...more),
    diff: (...more: string[]) => command('diff', ...more),
    apply: (...more: string[]) => command('apply', '--yes', ...more),
    /** The actions of the audit log, oldest first. */
    audited: async () => (await records()).map(({ action }) => action),
  };
}

export type SettingsStage = Awaited<ReturnType<typeof settingsStage>>;

export async function settingsStage() {
  const plain = await plainStage();
  const { organizationId, projectId, api, services, environment } = plain;
  const tracker = await new GithubIssues().start();
  const tools = {
    ...services,
    privateReceivers: 'machine' as const,
    origin: async () => plain.origin,
    secrets: async () => connectSecrets(environment)(),
    trackers: async () => connectTrackers(environment)(),
  };
  const request = { organizationId, actor: OPERATOR };
  const { integrationId } = await saveIntegration(
    { ...tools, ...(await tools.trackers()) },
    {
      ...request,
      integrationId: undefined,
      settings: { ...tracker, account: undefined, name: 'Issues', apiUrl: tracker.url, projectIds: undefined },
    },
  );
  await createRule({ api, projectId });
  const hook = { url: RECEIVER, label: 'CI', headers: { authorization: HEADER }, signed: true };
  await api.post(`/webhooks?projectId=${projectId}`, hook);
  await saveNotification(
    { ...tools, secrets: await tools.secrets() },
    { ...request, projectId, settings: { kind: 'slack', runs: 'failed', credential: CHANNEL_ADDRESS } },
  );
  const { version } = await readAutomation(services, { organizationId, projectId });
  const issues = { version, reportsAgain: true, createsWhenFlaky: false, createsPerDay: 5, quarantines: false };
  await changeAutomation(services, { ...request, projectId, settings: issues });
  return { ...plain, tracker, tools, integrationId, recordsAtFirst: (await plain.audited()).length };
}
