/** The CDK app as a function. The CDK CLI calls it through app.ts; the local runner and tests call it directly. */
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS, DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { bundleFunctions } from './build/bundle.ts';
import { type Bundles, listBundles, planBundles } from './build/bundles.ts';
import { loadFunctions } from './build/declarations.ts';
import { loadRowKinds } from './build/row-kinds.ts';
import { RundownStack } from './stacks/rundown-stack.ts';
import { readSettings } from './stacks/settings.ts';

export interface Synthesis {
  /**
   * Folder of the cloud assembly with templates and bundles. Default: the folder that the CDK CLI chose, or else
   * `cdk.out`.
   */
  readonly outdir?: string;
  /** Context values, as the CDK CLI passes them with `-c name=value`. */
  readonly context?: Readonly<Record<string, string>>;
  /**
   * Folder of bundles that were already built from the same sources, or with `local` that will be built. Default:
   * bundles are built next to the templates.
   */
  readonly bundles?: string;
  /** The commit that a deployment shows. Default: none. */
  readonly commit?: string | undefined;
  /** Folder of the settings files of the environments. Default: there are none. */
  readonly environments?: string;
  /**
   * For `npm start`: the template refers to the folders of bundles instead of copying them, and is not checked. The
   * checks take half of the synthesis time and 200 MB of memory. `npm test` and each deployment run them.
   */
  readonly local?: boolean;
}

// Feature flags that the CDK CLI would set. They are set here so that templates are the same without the CLI.
const CONTEXT = {
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
  ...CURRENTLY_RECOMMENDED_FLAGS,
};

/**
 * Synthesizes the app. Throws if a declaration, bundle or setting is invalid, or if a check of CloudFormation or
 * cdk-nag fails.
 */
export async function synthesize({
  outdir,
  context = {},
  bundles,
  commit,
  environments,
  local,
}: Synthesis): Promise<void> {
  const directory = outdir ?? process.env.CDK_OUTDIR ?? 'cdk.out';
  const app = new App({
    outdir: directory,
    context,
    postCliContext: { ...CONTEXT, ...(local ? { [DISABLE_ASSET_STAGING_CONTEXT]: true } : {}) },
    analyticsReporting: false,
    builtinCloudFormationValidation: !local,
  });
  if (!local) {
    const { AwsSolutionsChecks } = await import('cdk-nag');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  }
  const settings = readSettings(app.node, environments);
  const functions = await loadFunctions();
  new RundownStack(app, `Rundown-${settings.environment.name}`, {
    settings,
    ...functions,
    commit,
    bundles: await findBundles(),
    rowKinds: await loadRowKinds(),
  });
  app.synth();

  function findBundles(): Bundles | Promise<Bundles> {
    if (bundles === undefined) return bundleFunctions(join(directory, 'bundles'), functions, commit);
    return local ? planBundles(bundles, functions) : listBundles(bundles, functions);
  }
}
