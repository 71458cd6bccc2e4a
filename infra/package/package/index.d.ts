import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The settings of a service. The README of `infra/` in Rundown's repository explains them. */
export interface RundownProps {
  /** Decides what is kept and protected, and is part of the names of functions, queues and alarms. */
  readonly environment: 'dev' | 'staging' | 'prod';
  // The build adds a property for each setting of infra/stacks/settings.ts.
}

/** A whole service: nested stacks with data, API and functions. An account can have one per environment and region. */
export declare class Rundown extends Construct {
  constructor(scope: Construct, id: string, props: RundownProps);
  /** The address of the pages, without a trailing slash. Reporters use the same address, and the API is at `/v1`. */
  readonly url: string;
  /** The single table. Writing to it bypasses all permissions of the product. */
  readonly table: ITable;
  /** The bucket with the screenshots, videos, traces and logs of tests. */
  readonly artifacts: IBucket;
  /** The bus with the events of runs, such as `RunEnded`, from the source `rundown`. */
  readonly eventBus: IEventBus;
  /** The topic of urgent alarms. `undefined` in dev, which has no alarms. */
  readonly alarmTopic: ITopic | undefined;
  /** The topic of all other alarms. `undefined` in dev. */
  readonly warningTopic: ITopic | undefined;
  /** The ARN of the API's stage, to which a web ACL can be attached. */
  readonly stageArn: string;
  /** The target for the CNAME record of the domain. `undefined` without a domain. */
  readonly domainTarget: string | undefined;
}
