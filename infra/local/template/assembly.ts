/** Reads the output of `cdk synth`: the templates of all stacks, and the paths of their assets. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';

const Resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Condition: z.string().optional(),
});

const Template = z.object({
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
  Resources: z.record(z.string(), Resource),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});
export type Template = z.infer<typeof Template>;

export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** The absolute path of the file or folder that a deployment would store under this key. */
  asset(objectKey: string): string;
}

const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.object({ templateFile: z.string().optional(), file: z.string().optional() }).optional(),
    }),
  ),
});

const AssetManifest = z.object({
  files: z
    .record(
      z.string(),
      z.object({
        source: z.object({ path: z.string() }),
        destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
      }),
    )
    .default({}),
});

/** Loads the cloud assembly in `directory` (cdk.out), which must contain one stack and its nested stacks. */
export async function loadAssembly(directory: string): Promise<Assembly> {
  const { artifacts } = Manifest.parse(await readJson(join(directory, 'manifest.json')));
  const ofType = (type: string) => Object.entries(artifacts).filter(([, artifact]) => artifact.type === type);
  const stacks = ofType('aws:cloudformation:stack');
  const [stack] = stacks;
  const file = stack?.[1].properties?.templateFile;
  if (stack === undefined || file === undefined || stacks.length > 1) {
    const stackNames = stacks.map(([name]) => name).join(', ') || 'none';
    throw new Error(
      `The local runner runs one stack, but ${directory} contains ${stackNames}: synthesize one environment`,
    );
  }
  const manifests = ofType('cdk:asset-manifest').flatMap(([, { properties }]) => properties?.file ?? []);
  const assets = await loadAssets(directory, manifests);
  return {
    stackName: stack[0],
    template: await loadTemplate(join(directory, file)),
    asset: (objectKey) => {
      const path = assets.get(objectKey);
      if (path === undefined)
        throw new Error(`The assembly in ${directory} has no asset ${objectKey}: synthesize again`);
      return path;
    },
  };
}

export async function loadTemplate(file: string): Promise<Template> {
  return Template.parse(await readJson(file));
}

async function loadAssets(directory: string, manifests: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const assetManifests = await Promise.all(
    manifests.map(async (file) => AssetManifest.parse(await readJson(join(directory, file)))),
  );
  return new Map(
    assetManifests
      .flatMap(({ files }) => Object.values(files))
      .flatMap(({ source, destinations }) =>
        Object.values(destinations).map(({ objectKey }) => [objectKey, resolve(directory, source.path)] as const),
      ),
  );
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}
