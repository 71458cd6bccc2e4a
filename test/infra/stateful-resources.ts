/**
 * What a change of the templates could lose: resources with data, together with the properties whose change replaces
 * them, and the location of every physical name.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import { EVERY_SETTING } from './every-setting.ts';
import type { Synthesized } from './synthesized.ts';

export const LIST = join(PROJECT, 'test/infra/stateful-resources.json');

type Context = Readonly<Record<string, string>>;

/**
 * The templates that the list covers. The prod environment with every setting uses a restored table, so its templates
 * define no table.
 */
export const VARIANTS: ReadonlyArray<readonly [name: string, context: Context]> = [
  ['dev', { env: 'dev' }],
  ['staging', { env: 'staging' }],
  ['prod', { env: 'prod' }],
  ['prod with every setting', EVERY_SETTING],
];

/** Resource types that AWS does not list as stateful, and what would be lost if such a resource were replaced. */
const ALSO_STATEFUL: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::RestApi': 'the address of a deployment without a domain',
  'AWS::ApiGateway::DomainName': 'the address of a deployment with a domain, while DNS changes',
  'AWS::CloudFormation::Stack': 'everything in the nested stack',
  'AWS::SNS::Topic': 'confirmed subscriptions',
};
/** Log groups are used only by name, so the list has only the location of their names. */
const LOGS = 'AWS::Logs::LogGroup';

/** Placeholder for the environment's name, which differs between the variants. */
const ENVIRONMENT = '<env>';

const Database = z.object({
  schema: z.object({
    resource: z.object({
      entities: z.array(
        z.object({
          cloudFormationType: z.string(),
          isStateful: z.boolean().optional(),
          properties: z.record(z.string(), z.object({ causesReplacement: z.string().optional() })),
        }),
      ),
    }),
  }),
});

interface Replacement {
  readonly isStateful: boolean;
  /** The properties whose change always or sometimes replaces the resource. */
  readonly replacedBy: readonly string[];
}

/** Reads from CloudFormation's schemas which changes replace a resource, as the CDK CLI does. */
async function replacements(): Promise<ReadonlyMap<string, Replacement>> {
  const packed = await readFile(join(PROJECT, 'node_modules/aws-cdk/db.json.gz'));
  const { resource } = Database.parse(JSON.parse(gunzipSync(packed).toString())).schema;
  const all = resource.entities.map((type): [string, Replacement] => {
    const { cloudFormationType, isStateful = false, properties } = type;
    const replacing = Object.entries(properties).filter(
      ([, { causesReplacement = 'no' }]) => causesReplacement !== 'no',
    );
    return [cloudFormationType, { isStateful, replacedBy: replacing.map(([name]) => name).sort() }];
  });
  return new Map(all);
}

const Stateful = z.object({
  type: z.string(),
  in: z.array(z.string()),
  /** The current value of each property whose change replaces the resource. Null if the property is not set. */
  replacedBy: z.record(z.string(), z.unknown()),
});
type Stateful = z.infer<typeof Stateful>;

const List = z.object({
  /** Keyed by stack and logical id. */
  stateful: z.record(z.string(), Stateful),
  /** The stack and logical id of each physical name, by type and name. */
  names: z.record(z.string(), z.string()),
});
export type StatefulResources = z.infer<typeof List>;

export const readList = async (): Promise<StatefulResources> => List.parse(JSON.parse(await readFile(LIST, 'utf8')));

/** Lists what a deployment of `after` would lose, and what would make it fail. */
export function dangers(before: StatefulResources, after: StatefulResources): string[] {
  const moved = Object.entries(before.names).flatMap(([name, place]) => {
    const now = after.names[name] ?? place;
    return now === place
      ? []
      : [
          `${name} moves from ${place} to ${now}: the deployment fails, because CloudFormation creates the new resource before it deletes the old one`,
        ];
  });
  const lost = Object.entries(before.stateful).flatMap(([place, { type, in: variants, replacedBy }]) => {
    const now = after.stateful[place];
    const missing = variants.filter((variant) => !now?.in.includes(variant));
    if (missing.length > 0) return [`${type} ${place} is deleted in ${missing.join(', ')}`];
    const changed = Object.keys(replacedBy).filter(
      (name) => !isDeepStrictEqual(replacedBy[name], now?.replacedBy[name]),
    );
    return changed.length > 0 ? [`${type} ${place} is replaced by an empty one: ${changed.join(', ')} changed`] : [];
  });
  return [...moved, ...lost];
}

/**
 * Collects the stateful resources and the physical names of all variants. Throws if two resources have the same
 * physical name, or if a resource differs between the variants.
 */
export async function statefulResources(
  variants: ReadonlyArray<readonly [name: string, template: Synthesized]>,
): Promise<StatefulResources> {
  const types = await replacements();
  const stateful = new Map<string, Stateful>();
  const names = new Map<string, string>();
  for (const [variant, template] of variants) {
    for (const { stack, resources } of template.stacks()) {
      for (const [id, { Type: type, Properties }] of Object.entries(resources)) {
        const place = `${stack}/${id}`;
        const { isStateful = false, replacedBy = [] } = types.get(type) ?? {};
        const values = replacedBy.map((name): [string, unknown] => [name, inAnyEnvironment(Properties[name], variant)]);
        for (const [property, value] of values) {
          if (!isNameOf(type, property) || typeof value !== 'string' || !value.includes(ENVIRONMENT)) continue;
          const name = `${type} ${value}`;
          const other = names.get(name) ?? place;
          if (other !== place) throw new Error(`${other} and ${place} have the same physical name: ${name}`);
          names.set(name, place);
        }
        if (type === LOGS || !(isStateful || type in ALSO_STATEFUL)) continue;
        const known = stateful.get(place);
        const replaced = Object.fromEntries(values);
        if (known && !isDeepStrictEqual(known.replacedBy, replaced)) {
          throw new Error(
            `${place} differs between ${known.in.join(', ')} and ${variant}: compare ${replacedBy.join(', ')}`,
          );
        }
        stateful.set(place, { type, in: [...(known?.in ?? []), variant], replacedBy: replaced });
      }
    }
  }
  return { stateful: sorted(stateful), names: sorted(names) };
}

/** `rundown-prod-getRun` becomes `rundown-<env>-getRun`. */
function inAnyEnvironment(value: unknown, variant: string): unknown {
  const environment = variant.split(' ')[0];
  const text = JSON.stringify(value ?? null);
  return JSON.parse(text.replaceAll(new RegExp(`(rundown[-/]?)${environment}`, 'g'), `$1${ENVIRONMENT}`));
}

const isNameOf = (type: string, property: string): boolean =>
  property === 'Name' || property === `${type.split('::').at(-1)}Name`;

const sorted = <Value>(map: ReadonlyMap<string, Value>): Record<string, Value> =>
  Object.fromEntries([...map].sort(([one], [other]) => (one < other ? -1 : 1)));
