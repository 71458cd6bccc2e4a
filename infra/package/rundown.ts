/** The construct of the package `rundown-cdk`, with which other CDK apps deploy Rundown. */
import { join } from 'node:path';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import { listBundles } from '#infra/build/bundles.ts';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import type { KeyedRowKind } from '#infra/build/key-patterns.ts';
import { addService } from '#infra/stacks/rundown-stack.ts';
import { parseAppSettings } from '#infra/stacks/settings.ts';
import type { Rundown as Declared, RundownProps } from './package/index.d.ts';

/** What the build found in `functions/` and `shared/model`, without schemas and code. */
declare const BUILT_FUNCTIONS: DeclaredFunctions;
declare const BUILT_ROW_KINDS: readonly KeyedRowKind[];

export class Rundown extends Construct implements Declared {
  readonly url: Declared['url'];
  readonly table: Declared['table'];
  readonly artifacts: Declared['artifacts'];
  readonly eventBus: Declared['eventBus'];
  readonly alarmTopic: Declared['alarmTopic'];
  readonly warningTopic: Declared['warningTopic'];
  readonly stageArn: Declared['stageArn'];
  readonly domainTarget: Declared['domainTarget'];

  constructor(scope: Construct, id: string, { environment, ...others }: RundownProps) {
    super(scope, id);
    // The templates must not depend on the feature flags of the app.
    for (const [flag, value] of Object.entries(CURRENTLY_RECOMMENDED_FLAGS)) this.node.setContext(flag, value);
    const { publicOrigin, data, alarmTopics, stageArn, domainTarget } = addService(this, {
      ...BUILT_FUNCTIONS,
      settings: parseAppSettings(environment, { ...others }),
      rowKinds: BUILT_ROW_KINDS,
      bundles: listBundles(join(import.meta.dirname, 'bundles'), BUILT_FUNCTIONS),
    });
    this.url = publicOrigin;
    this.table = data.table;
    this.artifacts = data.artifacts;
    this.eventBus = data.outlets.eventBus;
    this.alarmTopic = alarmTopics?.urgent;
    this.warningTopic = alarmTopics?.warning;
    this.stageArn = stageArn;
    this.domainTarget = domainTarget;
  }
}
