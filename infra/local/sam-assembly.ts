/** Adapts the output of `cdk synth` to `sam local`, which supports fewer template features than AWS. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { loadAssembly } from './template/assembly.ts';
import type { PhysicalNames } from './template/physical-ids.ts';
import { Stack } from './template/stack.ts';

/** Environment variables by logical id of the function: the format of `sam local --env-vars`. */
export type Variables = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface SamTarget extends PhysicalNames {
  /** The address of the AWS-compatible endpoint, as a function in a container reaches it. */
  readonly sqsEndpoint: string;
  /** The address at which SAM serves the API. */
  readonly origin: string;
}

/** Added to each function, because `sam local` ignores variables that the template does not declare. */
const ENDPOINT = 'AWS_ENDPOINT_URL';
/** The template already declares this variable. Only its value is replaced. */
const ORIGIN = 'PUBLIC_ORIGIN';

const Declared = z.looseObject({ Variables: z.record(z.string(), z.unknown()) });
const FunctionProperties = z.looseObject({ Environment: Declared });
const Security = z.looseObject({ security: z.array(z.record(z.string(), z.unknown())) });
const ApiProperties = z.looseObject({
  Body: z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Security)) }),
});
const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.unknown() })),
});

/** Rewrites the templates in the folder, and returns the variables of all functions. */
export async function prepareForSam(directory: string, target: SamTarget): Promise<Variables> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.template.json'));
  for (const file of files) {
    const path = join(directory, file);
    const template = Template.parse(JSON.parse(await readFile(path, 'utf8')));
    for (const [id, resource] of Object.entries(template.Resources)) {
      if (resource.Type === 'AWS::Lambda::Function') {
        const properties = FunctionProperties.parse(resource.Properties);
        properties.Environment.Variables = { ...properties.Environment.Variables, [ENDPOINT]: '' };
        resource.Properties = properties;
      }
      // SAM rejects operations with more than one security scheme, and has no usage plans, so no operation keeps the
      // security scheme of the usage plan keys.
      if (resource.Type === 'AWS::ApiGateway::RestApi') {
        const properties = ApiProperties.parse(resource.Properties);
        for (const operation of Object.values(properties.Body.paths).flatMap((path) => Object.values(path)))
          operation.security = operation.security.filter((scheme) => !('api_key' in scheme));
        resource.Properties = properties;
      }
      // SAM does not need a stage, and rejects a stage whose API is in another stack.
      if (resource.Type === 'AWS::ApiGateway::Stage') delete template.Resources[id];
    }
    await writeFile(path, JSON.stringify(template, null, 1));
  }
  return readVariables(directory, target);
}

/** With resolved references: SAM does not resolve references between nested stacks. */
async function readVariables(directory: string, { origin, ...names }: SamTarget): Promise<Variables> {
  const stack = await Stack.load(await loadAssembly(directory), names);
  const targetValues: Readonly<Record<string, string>> = { [ORIGIN]: origin, [ENDPOINT]: names.sqsEndpoint };
  return Object.fromEntries(
    stack.resources('AWS::Lambda::Function').map((fn) => {
      const { Variables: variables } = Declared.parse(fn.property('Environment'));
      const values = Object.entries(variables).map(([name, value]) => [name, targetValues[name] ?? String(value)]);
      return [fn.logicalId, Object.fromEntries(values)];
    }),
  );
}
