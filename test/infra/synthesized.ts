/** The templates of one environment, read from the files that a deployment would upload. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { assemblyWith } from '#test/harness/stage.ts';

const Resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
  DependsOn: z.union([z.string(), z.array(z.string())]).default([]),
});
type Resource = z.infer<typeof Resource>;

const Template = z.object({
  Resources: z.record(z.string(), Resource),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});

const Reference = z.union([
  z.object({ Ref: z.string() }).transform(({ Ref }) => Ref),
  // An output of a nested stack, or an attribute of another resource.
  z
    .object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) })
    .transform(({ 'Fn::GetAtt': [id, attribute] }) => (attribute.startsWith('Outputs.') ? attribute : id)),
]);

const parametersOf = ({ Parameters }: Resource['Properties']) =>
  z.record(z.string(), z.unknown()).default({}).parse(Parameters);

export type Named = Resource & { readonly id: string };

export class Synthesized {
  private readonly templates: ReadonlyMap<string, z.infer<typeof Template>>;

  constructor(templates: ReadonlyMap<string, z.infer<typeof Template>>) {
    this.templates = templates;
  }

  /** All resources of a type in all stacks. */
  all(type: string): Named[] {
    const resources = [...this.templates.values()].flatMap(({ Resources }) => Object.entries(Resources));
    return resources.filter(([, { Type }]) => Type === type).map(([id, resource]) => ({ id, ...resource }));
  }

  only(type: string): Named {
    const [resource, ...others] = this.all(type);
    if (resource === undefined || others.length > 0)
      throw new Error(`Expected one ${type}, found ${others.length + 1}`);
    return resource;
  }

  /** Follows `{ Ref }` or `{ Fn::GetAtt }` to the resource, even through the parameters of nested stacks. */
  target(reference: unknown): Named {
    const name = Reference.parse(reference);
    for (const { Resources, Outputs } of this.templates.values()) {
      const resource = Resources[name];
      if (resource) return { id: name, ...resource };
      const output = Outputs[name.replace(/^.*Outputs\.?/, '')];
      if (output) return this.target(output.Value);
    }
    const given = this.all('AWS::CloudFormation::Stack').find(({ Properties }) => name in parametersOf(Properties));
    if (given) return this.target(parametersOf(given.Properties)[name]);
    throw new Error(`No template has a resource ${name}`);
  }

  /** Outputs of a top-level stack, by name. */
  outputsOf(stack: string): Readonly<Record<string, unknown>> {
    const outputs = Object.entries(this.templates.get(`${stack}.template.json`)?.Outputs ?? {});
    return Object.fromEntries(outputs.map(([name, { Value }]) => [name, Value]));
  }

  resourcesPerStack(): Array<{ stack: string; count: number }> {
    return [...this.templates].map(([stack, { Resources }]) => ({ stack, count: Object.keys(Resources).length }));
  }

  /** The resources of each stack, keyed by a name that is the same in all environments, such as `Data`. */
  stacks(): Array<{ stack: string; resources: Readonly<Record<string, Resource>> }> {
    return [...this.templates].map(([file, { Resources }]) => {
      const [, stack] = /^Rundown(?:dev|staging|prod)(\w+)[0-9A-F]{8}\.nested\./.exec(file) ?? [];
      return { stack: stack ?? 'Rundown', resources: Resources };
    });
  }

  text(): string {
    return JSON.stringify([...this.templates]);
  }
}

export async function synthesized(context: Readonly<Record<string, string>>): Promise<Synthesized> {
  return synthesizedIn(await assemblyWith(context));
}

export async function synthesizedIn(outdir: string): Promise<Synthesized> {
  const files = (await readdir(outdir)).filter((name) => name.endsWith('.template.json'));
  const templates = files.map(async (name): Promise<[string, z.infer<typeof Template>]> => {
    return [name, Template.parse(JSON.parse(await readFile(join(outdir, name), 'utf8')))];
  });
  return new Synthesized(new Map(await Promise.all(templates)));
}
