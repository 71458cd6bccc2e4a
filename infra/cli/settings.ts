/** The commands that write the settings of an organization to a file, compare them with a file and apply a file. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { ApiError, invalidRequest, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { type CommandContext, command, type Report } from './command.ts';
import { confirm } from './confirm.ts';
import { flagOption, oneOf, optional, organization, textOption } from './options.ts';
import { applyPlan, type CreatedSecret } from './settings-file/apply.ts';
import { readSettingsFile } from './settings-file/document.ts';
import { SETTINGS_FILE_LIMITS } from './settings-file/limits.ts';
import { subjectText, type Tools } from './settings-file/plan.ts';
import { planSettings } from './settings-file/plan-settings.ts';
import { readState } from './settings-file/state.ts';
import { settingsOf, writeYaml } from './settings-file/write-yaml.ts';
import { documentOfPlan, linesOfPlan } from './show-settings-plan.ts';
import { outputsOf } from './stack-outputs.ts';
import { credentialStores, receiversOf } from './store.ts';
import { printLine } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** The exit code of `settings diff` if the settings differ. With 1 and 2, any command reports a failure. */
const DIFFERENT = 3;

const file = textOption('<file>', 'settings file, as "settings export" writes it');

const env = optional(
  oneOf(
    ['dev', 'staging', 'prod'],
    'environment of --table; needed if a change uses stored secrets or enables a webhook',
  ),
);

/** Connects the stores of credentials only when a change needs them. */
function toolsOf(context: CommandContext, environment: string | undefined): Tools {
  const { services, isDeployed } = context;
  const outputs = async () => {
    if (environment === undefined)
      throw new UsageError('Missing --env: a change uses stored secrets or enables a webhook');
    const found = await outputsOf(environment);
    if (found.TableName === context.environment[ENVIRONMENT.tableName]) return found;
    throw new UsageError(
      `The stack Rundown-${environment} uses another table, ${found.TableName}. Correct --env or --table`,
    );
  };
  const stores = async () => {
    if (!isDeployed) return credentialStores(context, {});
    const { SecretsPrefix: secrets, TrackersPrefix: trackers } = await outputs();
    return credentialStores(context, { secrets, trackers });
  };
  return {
    ...services,
    privateReceivers: receiversOf(context),
    origin: async () =>
      isDeployed ? (await outputs()).RecordUrl : (context.environment[ENVIRONMENT.publicOrigin] ?? ''),
    secrets: async () => (await stores()).secrets(),
    trackers: async () => (await stores()).trackers(),
  };
}

async function readSource(path: string): Promise<string> {
  const { size } = await stat(path).catch((error: Error) => refuse(unusable(path, error)));
  if (size > SETTINGS_FILE_LIMITS.bytes)
    throw invalidRequest(
      `${path} has more than ${SETTINGS_FILE_LIMITS.bytes} bytes. Put its projects into several files`,
    );
  return readFile(path, 'utf8').catch((error: Error) => refuse(unusable(path, error)));
}

const unusable = (path: string, { message }: Error) =>
  invalidRequest(`${path} cannot be used: ${message}. Check --file`);

/** Plans the changes that a file asks for. `again` reads the current settings and plans once more. */
async function planned(context: CommandContext, given: { readonly organization: string; readonly file: string }) {
  const { services, actor } = context;
  const placed = readSettingsFile(await readSource(given.file), given.file);
  const plan = async () => {
    const state = await readState(services, { organizationId: given.organization, actor });
    const now = services.now();
    return { state, parts: planSettings(state, placed, { now, privateReceivers: receiversOf(context) }) };
  };
  return { ...(await plan()), again: plan };
}

const NO_DIFFERENCE = 'The organization already has these settings.';

export const SETTINGS = [
  command({
    name: 'settings export',
    does: 'write all settings of an organization, except secrets, as YAML',
    options: {
      organization,
      file: optional(textOption('<file>', 'file to write; standard output by default')),
      'with-addresses': flagOption('include the full addresses of webhooks, which may contain secrets'),
    },
    run: async ({ services, actor }, { organization: organizationId, file: path, 'with-addresses': withAddresses }) => {
      const state = await readState(services, { organizationId, actor });
      const text = writeYaml(state, { withAddresses });
      if (path === undefined || path === '-')
        return { document: settingsOf(state, { withAddresses }), lines: [text.trimEnd()] };
      await writeFile(path, text).catch((error: Error) => refuse(unusable(path, error)));
      return [{ file: path, projects: state.projects.length }];
    },
  }),
  command({
    name: 'settings diff',
    does: `show what "settings apply" would change; exit code ${DIFFERENT} if anything differs`,
    options: { organization, file },
    run: async (context, given): Promise<Report> => {
      const { parts } = await planned(context, given);
      const lines = linesOfPlan(parts, context.terminal);
      const document = documentOfPlan(parts);
      return lines.length === 0 ? { document, lines: [NO_DIFFERENCE] } : { document, lines, exitCode: DIFFERENT };
    },
  }),
  command({
    name: 'settings apply',
    does: 'change the settings of an organization to those of a file, after confirmation',
    options: { organization, file, yes: flagOption('apply the changes without asking for confirmation'), env },
    run: async (context, { yes, env: environment, ...given }) => {
      const { state, parts, again } = await planned(context, given);
      const { terminal, json } = context;
      const lines = linesOfPlan(parts, terminal);
      if (lines.length === 0) return { document: { ...documentOfPlan([]), secrets: [] }, lines: [NO_DIFFERENCE] };
      for (const line of lines) printLine(line, json ? { ...terminal, output: terminal.errors } : terminal);
      if (!parts.some(({ changes }) => changes.length > 0)) return { document: documentOfPlan(parts), lines: [] };
      if (!yes) {
        await confirm(terminal);
        const { parts: now } = await again();
        if (!isDeepStrictEqual(documentOfPlan(now), documentOfPlan(parts)))
          throw new ApiError(
            409,
            'The settings were changed while you read the plan. Nothing was done. Run the command again',
          );
      }
      const request = { organizationId: given.organization, actor: state.actor, parts };
      return apply(toolsOf(context, environment), context, request);
    },
  }),
];

async function apply(
  tools: Tools,
  { terminal, json }: CommandContext,
  request: Parameters<typeof applyPlan>[1],
): Promise<Report> {
  const secrets: CreatedSecret[] = [];
  let done = 0;
  const onSecret = (created: CreatedSecret) => {
    secrets.push(created);
    const of = `${subjectText({ kind: 'webhook', name: created.webhook })} of ${makeVisibleLine(created.project)}`;
    if (!json) printLine(`The signing secret of ${of} is shown only once: ${created.secret}`, terminal);
  };
  const onDone = () => {
    done += 1;
  };
  const document = documentOfPlan(request.parts);
  const total = document.changes.length;
  try {
    await applyPlan(tools, request, { onDone, onSecret });
  } catch (error) {
    // Secrets that were created before the failure cannot be shown later.
    if (json) printLine(JSON.stringify({ ...document, done, secrets }), terminal);
    const rest = `Changes made: ${done} of ${total}. Run "settings diff" to see the rest`;
    if (error instanceof ApiError) throw new ApiError(error.statusCode, `${error.message}. ${rest}`, error.details);
    throw done === 0 ? error : new Error(`${error instanceof Error ? error.message : String(error)}. ${rest}`);
  }
  return {
    document: { ...document, done, secrets },
    lines: [done === 1 ? '1 change was made.' : `${done} changes were made.`],
  };
}
