/** Adapts the synthesized templates to an emulator. Each adaptation has a name, which is printed. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const Resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
});
const Template = z.looseObject({ Resources: z.record(z.string(), Resource) });
type Template = z.infer<typeof Template>;

interface Gap {
  /** The missing feature and the workaround. This text is printed, followed by the result of `close`. */
  readonly name: string;
  /** Changes the template. Returns the ids or names of what it changed, or their number. */
  readonly close: (template: Template) => string[];
}

const ofType = (template: Template, type: string) =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);

const Statement = z.looseObject({ Action: z.union([z.string(), z.array(z.string())]) });
const Policies = z.array(z.looseObject({ PolicyDocument: z.looseObject({ Statement: z.array(Statement) }) }));

const SENDS_BATCHES: Gap = {
  name: 'MiniStack requires sqs:SendMessageBatch, which AWS does not have: granted with sqs:SendMessage to',
  close: (template) =>
    ofType(template, 'AWS::IAM::Role').flatMap(([id, { Properties }]) => {
      const policies = Policies.safeParse(Properties.Policies);
      if (!policies.success) return [];
      const statements = policies.data.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      const sending = statements.filter(({ Action }) => [Action].flat().includes('sqs:SendMessage'));
      for (const statement of sending) statement.Action = [statement.Action, 'sqs:SendMessageBatch'].flat();
      Properties.Policies = policies.data;
      return sending.map(() => id);
    }),
};

const COMPUTED_ALARMS: Gap = {
  name: 'MiniStack does not support alarms of computed metrics: removed',
  close: (template) =>
    ofType(template, 'AWS::CloudWatch::Alarm').flatMap(([id, { Properties }]) => {
      if (!('Metrics' in Properties)) return [];
      delete template.Resources[id];
      return [id];
    }),
};

const Responses = z.record(z.string(), z.record(z.string(), z.unknown()));
const RESPONSES = 'x-amazon-apigateway-gateway-responses';

const GATEWAY_RESPONSES: Gap = {
  name: `MiniStack does not import ${RESPONSES}: created as resources`,
  close: (template) =>
    ofType(template, 'AWS::ApiGateway::RestApi').flatMap(([api, { Properties }]) => {
      const responses = Responses.safeParse(z.looseObject({}).parse(Properties.Body)[RESPONSES]);
      if (!responses.success) return [];
      const made = Object.entries(responses.data).map(([type, response]) => {
        const id = `${type.replaceAll('_', '')}Emulated`;
        const own = Object.entries(response).map(([name, value]) => [capitalized(name), value]);
        template.Resources[id] = {
          Type: 'AWS::ApiGateway::GatewayResponse',
          Properties: { RestApiId: { Ref: api }, ResponseType: type, ...Object.fromEntries(own) },
        };
        return id;
      });
      for (const [, deployment] of ofType(template, 'AWS::ApiGateway::Deployment')) {
        deployment.DependsOn = [...[deployment.DependsOn ?? []].flat(), ...made];
      }
      return Object.keys(responses.data);
    }),
};

const KEPT_ADDRESS: Gap = {
  name: 'MiniStack replaces an API whose definition changes: the earlier one is kept, so that requests go on in an update,',
  close: (template) =>
    Object.entries(template.Resources).flatMap(([id, resource]) => {
      if (!ADDRESS.includes(resource.Type)) return [];
      resource['UpdateReplacePolicy'] = 'Retain';
      // A changed definition has another deployment, so the earlier one is not replaced but removed.
      if (resource.Type === 'AWS::ApiGateway::Deployment') resource['DeletionPolicy'] = 'Retain';
      return [id];
    }),
};

const ADDRESS = ['AWS::ApiGateway::RestApi', 'AWS::ApiGateway::Deployment', 'AWS::ApiGateway::Stage'];

const Paths = z.record(z.string(), z.record(z.string(), z.looseObject({ security: z.array(z.looseObject({})) })));

const GATEWAY_KEYS: Gap = {
  name: 'MiniStack takes gateway keys from x-api-key instead of the authorizer: not required of',
  close: (template) =>
    ofType(template, 'AWS::ApiGateway::RestApi').flatMap(([, { Properties }]) => {
      const body = z.looseObject({ paths: Paths }).parse(Properties.Body);
      const operations = Object.values(body.paths).flatMap((path) => Object.values(path));
      const counted = operations.filter(({ security }) => security.some((scheme) => 'api_key' in scheme));
      for (const operation of counted) operation.security = operation.security.filter((one) => !('api_key' in one));
      Properties.Body = body;
      return [`${counted.length} operations`];
    }),
};

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const Variables = z.looseObject({ Variables: z.record(z.string(), z.unknown()) });
const SENDING_FUNCTIONS = ['createWebhook', 'deliverWebhook', 'deliverNotification'];

const LOOPBACK_RECEIVERS: Gap = {
  name: 'the receiver listens on loopback, which deployments refuse: allowed for',
  close: (template) =>
    ofType(template, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
      const name = String(Properties.FunctionName).split('-').at(-1) ?? '';
      if (!SENDING_FUNCTIONS.includes(name)) return [];
      const environment = Variables.parse(Properties.Environment);
      Properties.Environment = { Variables: { ...environment.Variables, PRIVATE_RECEIVERS: 'machine' } };
      return [name];
    }),
};

const Tags = z.array(z.object({ Key: z.string(), Value: z.string() }));
const TAGGED_AGAIN = [
  'AWS::IAM::Role',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::SQS::Queue',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::KMS::Key',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::S3::Bucket',
  'AWS::DynamoDB::Table',
];

function tagAgain(template: Template, value: string): string[] {
  const tagged = TAGGED_AGAIN.flatMap((type) => ofType(template, type));
  for (const [, { Properties }] of tagged)
    Properties.Tags = [...Tags.parse(Properties.Tags), { Key: 'updated', Value: value }];
  return tagged.length > 0 ? [`${tagged.length} resources`] : [];
}

const hasTable = (template: Template): boolean => ofType(template, 'AWS::DynamoDB::Table').length > 0;

/**
 * Restores attributes that the emulator loses in an update, by adding a tag to each affected resource. `update` is the
 * value of the tag, and must differ between deployments of the stack.
 */
const forgottenAttributes = (update: string): Gap => ({
  name: 'MiniStack loses attributes of unchanged resources in nested stacks: tagged again,',
  close: (template) => (hasTable(template) ? [] : tagAgain(template, update)),
});

/**
 * The same for the template with the table. Its tag is the same as long as the template is, because a changed template
 * would make every update include its stack.
 */
const FORGOTTEN_BESIDE_TABLE: Gap = {
  name: 'MiniStack loses attributes of unchanged resources beside the table: tagged by content,',
  close: (template) =>
    hasTable(template)
      ? tagAgain(template, createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 16))
      : [],
};

const GAPS: readonly Gap[] = [
  SENDS_BATCHES,
  COMPUTED_ALARMS,
  GATEWAY_RESPONSES,
  GATEWAY_KEYS,
  KEPT_ADDRESS,
  LOOPBACK_RECEIVERS,
  FORGOTTEN_BESIDE_TABLE,
];

/**
 * What `npm run test:deploy` does not test on MiniStack: features that MiniStack lacks without a workaround, and what
 * would take too long.
 */
export const NOT_TESTED = [
  'MiniStack ignores dynamodb:LeadingKeys: denials of guarded rows are deployed, but not tested here',
  'MiniStack replaces an API whose definition changes, but AWS updates it: only here does the address change',
  'MiniStack deletes a removed function before the routes change, but AWS afterwards: its pages are tested on the local runner',
  'MiniStack ends the calls of a function that it updates: requests of the load are repeated once',
  'MiniStack cannot stop between two functions of an update: every such state is tested on the local runner',
  'MiniStack knows a changed policy at once, but IAM takes a while: counts of requests that cannot be read are tested in npm test',
  'MiniStack restores the current table immediately, with tags: restoring an earlier time and waiting are not tested',
  'MiniStack does not run lifecycle rules: deleted files stay forever',
  '`npm ci` of a rollback is replaced: the packages of this project are linked instead',
];

/**
 * Adapts the templates in the folder. Returns one line per kind of change. `update` is undefined in the first
 * deployment of a stack, and different in each later one.
 */
export async function closeGaps(directory: string, update: string | undefined): Promise<string[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.template.json'));
  const changed = new Map<Gap, string[]>();
  const again = update === undefined ? undefined : forgottenAttributes(update);
  const updated = files.filter((file) => !file.endsWith('.nested.template.json'));
  for (const file of files) {
    const path = join(directory, file);
    const template = Template.parse(JSON.parse(await readFile(path, 'utf8')));
    for (const gap of again ? [...GAPS, again] : GAPS) {
      const parts = gap.close(template);
      changed.set(gap, [...(changed.get(gap) ?? []), ...parts]);
      if (gap === again && parts.length > 0) updated.push(file);
    }
    await writeFile(path, JSON.stringify(template));
  }
  if (update !== undefined) await renameTemplates(directory, updated, update);
  return [...changed].flatMap(([{ name }, what]) => (what.length > 0 ? [`${name} ${what.sort().join(', ')}`] : []));
}

const Assets = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.string() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

/**
 * Gives each adapted template a new S3 key. The CDK computes keys before the templates are adapted, and its CLI does
 * not upload a template whose key already exists.
 */
async function renameTemplates(directory: string, templates: readonly string[], update: string): Promise<void> {
  const written = (await readdir(directory)).filter((name) => name.endsWith('.json'));
  const textOf = (name: string) => readFile(join(directory, name), 'utf8');
  const keys: string[] = [];
  for (const name of written.filter((one) => one.endsWith('.assets.json'))) {
    const { files } = Assets.parse(JSON.parse(await textOf(name)));
    for (const { source, destinations } of Object.values(files))
      if (templates.includes(source.path)) keys.push(...Object.values(destinations).map(({ objectKey }) => objectKey));
  }
  for (const name of written) {
    const text = await textOf(name);
    const renamed = keys.reduce((all, key) => all.replaceAll(key, key.replace('.json', `-${update}.json`)), text);
    await writeFile(join(directory, name), renamed);
  }
}
