/** The commands that write the settings of an organization to a file, compare them with a file and apply a file. */

import { readFile, stat, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { ApiError, invalidRequest, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { type CommandContext, command, type Report } from './command.ts';
import { confirm } from './confirm.ts';
import { choiceOption, flagOption, optional, organization, textOption } from './options.ts';
import { applyPlan, type CreatedSecret } from './settings-file/apply.ts';
import { readSettingsFile } from './settings-file/document.ts';
import { SETTINGS_FILE_LIMITS } from './settings-file/limits.ts';
import { formatSubject, type Tools } from './settings-file/plan.ts';
import { planSettings } from './settings-file/plan-settings.ts';
import { readState } from './settings-file/state.ts';
import { toSettingsFile, writeYaml } from './settings-file/write-yaml.ts';
import { formatPlan, toPlanDocument } from './show-settings-plan.ts';
import { readStackOutputs } from './stack-outputs.ts';
import { getPrivateReceivers, openCredentialStores } from './store.ts';
import { printLine } from './terminal/terminal.ts';
import { UsageError } from './terminal/usage-error.ts';

/** The exit code of `settings diff` if the settings differ. With 1 and 2, any command reports a failure. */
const DIFFERENT = 3;

const file = textOption('<file>', 'settings file, as "settings export" writes it');

const env = optional(
  choiceOption(
    ['dev', 'staging', 'prod'],
    'environment of --table; needed if a change uses stored secrets or enables a webhook',
  ),
);

/** Connects the stores of credentials only when a change needs them. */
function makeTools(context: CommandContext, environment: string | undefined): Tools {
  const { services, isDeployed } = context;
  const outputs = async () => {
    if (environment === undefined)
      throw new UsageError('Missing --env: a change uses stored secrets or enables a webhook');
    const stackOutputs = await readStackOutputs(environment);
    if (stackOutputs.TableName === context.environment[ENVIRONMENT.tableName]) return stackOutputs;
    throw new UsageError(
      `The stack Rundown-${environment} uses another table, ${stackOutputs.TableName}. Correct --env or --table`,
    );
  };
  const stores = async () => {
    if (!isDeployed) return openCredentialStores(context, {});
    const { SecretsPrefix: secrets, TrackersPrefix: trackers } = await outputs();
    return openCredentialStores(context, { secrets, trackers });
  };
  return {
    ...services,
    privateReceivers: getPrivateReceivers(context),
    origin: async () =>
      isDeployed ? (await outputs()).RecordUrl : (context.environment[ENVIRONMENT.publicOrigin] ?? ''),
    secrets: async () => (await stores()).secrets(),
    trackers: async () => (await stores()).trackers(),
  };
}

async function readSource(path: string): Promise<string> {
  const { size } = await stat(path).catch((error: Error) => refuse(toFileError(path, error)));
  if (size > SETTINGS_FILE_LIMITS.bytes)
    throw invalidRequest(
      `${path} has more than ${SETTINGS_FILE_LIMITS.bytes} bytes. Put its projects into several files`,
    );
  return readFile(path, 'utf8').catch((error: Error) => refuse(toFileError(path, error)));
}

const toFileError = (path: string, { message }: Error) =>
  invalidRequest(`${path} cannot be used: ${message}. Check --file`);

/** `replan` reads the current settings and plans once more. */
async function planChanges(context: CommandContext, options: { readonly organization: string; readonly file: string }) {
  const { services, actor } = context;
  const section = readSettingsFile(await readSource(options.file), options.file);
  const plan = async () => {
    const state = await readState(services, { organizationId: options.organization, actor });
    const now = services.now();
    return { state, parts: planSettings(state, section, { now, privateReceivers: getPrivateReceivers(context) }) };
  };
  return { ...(await plan()), replan: plan };
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
        return { document: toSettingsFile(state, { withAddresses }), lines: [text.trimEnd()] };
      await writeFile(path, text).catch((error: Error) => refuse(toFileError(path, error)));
      return [{ file: path, projects: state.projects.length }];
    },
  }),
  command({
    name: 'settings diff',
    does: `show what "settings apply" would change; exit code ${DIFFERENT} if anything differs`,
    options: { organization, file },
    run: async (context, options): Promise<Report> => {
      const { parts } = await planChanges(context, options);
      const lines = formatPlan(parts, context.terminal);
      const document = toPlanDocument(parts);
      return lines.length === 0 ? { document, lines: [NO_DIFFERENCE] } : { document, lines, exitCode: DIFFERENT };
    },
  }),
  command({
    name: 'settings apply',
    does: 'change the settings of an organization to those of a file, after confirmation',
    options: { organization, file, yes: flagOption('apply the changes without asking for confirmation'), env },
    run: async (context, { yes, env: environment, ...options }) => {
      const { state, parts, replan } = await planChanges(context, options);
      const { terminal, json } = context;
      const lines = formatPlan(parts, terminal);
      if (lines.length === 0) return { document: { ...toPlanDocument([]), secrets: [] }, lines: [NO_DIFFERENCE] };
      for (const line of lines) printLine(line, json ? { ...terminal, output: terminal.errors } : terminal);
      if (!parts.some(({ changes }) => changes.length > 0)) return { document: toPlanDocument(parts), lines: [] };
      if (!yes) {
        await confirm(terminal);
        const { parts: currentParts } = await replan();
        if (!isDeepStrictEqual(toPlanDocument(currentParts), toPlanDocument(parts)))
          throw new ApiError(
            409,
            'The settings were changed while you read the plan. Nothing was done. Run the command again',
          );
      }
      const request = { organizationId: options.organization, actor: state.actor, parts };
      return apply(makeTools(context, environment), context, request);
    },
  }),
];

async function apply(
  tools: Tools,
  { terminal, json }: CommandContext,
  request: Parameters<typeof applyPlan>[1],
): Promise<Report> {
  const secrets: CreatedSecret[] = [];
  let doneCount = 0;
  const onSecret = (createdSecret: CreatedSecret) => {
    secrets.push(createdSecret);
    const webhookName = `${formatSubject({ kind: 'webhook', name: createdSecret.webhook })} of ${makeVisibleLine(createdSecret.project)}`;
    if (!json) printLine(`The signing secret of ${webhookName} is shown only once: ${createdSecret.secret}`, terminal);
  };
  const onDone = () => {
    doneCount += 1;
  };
  const document = toPlanDocument(request.parts);
  const total = document.changes.length;
  try {
    await applyPlan(tools, request, { onDone, onSecret });
  } catch (error) {
    // Secrets that were created before the failure cannot be shown later.
    if (json) printLine(JSON.stringify({ ...document, done: doneCount, secrets }), terminal);
    const rest = `Changes made: ${doneCount} of ${total}. Run "settings diff" to see the rest`;
    if (error instanceof ApiError) throw new ApiError(error.statusCode, `${error.message}. ${rest}`, error.details);
    throw doneCount === 0 ? error : new Error(`${error instanceof Error ? error.message : String(error)}. ${rest}`);
  }
  return {
    document: { ...document, done: doneCount, secrets },
    lines: [doneCount === 1 ? '1 change was made.' : `${doneCount} changes were made.`],
  };
}
