import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The settings of a service. The README of `infra/` in Rundown's repository explains them. */
export interface RundownProps {
  /** Decides what is kept and protected, and is part of the names of functions, queues and alarms. */
  readonly environment: 'dev' | 'staging' | 'prod';
  /** The host name of the service. Needs `certificate`. */
  readonly domain?: string;
  /** The ARN of the ACM certificate for the domain, in the region of the stack. Needs `domain`. */
  readonly certificate?: string;
  /** The id of the Route 53 hosted zone in which the record of the domain is created. */
  readonly zone?: string;
  /** The ARN of a regional web ACL in front of the API. */
  readonly webAcl?: string;
  /** An external issuer of access tokens. Default: the service issues them. */
  readonly oauthIssuer?: string;
  /** The names of the keys that sign access tokens, with commas between them. Default: `first`. */
  readonly signingKeys?: string;
  /** Whether webhooks may use plain HTTP and private addresses. Default: false. */
  readonly privateWebhooks?: boolean;
  /**
   * The ids of subnets for the functions that send webhooks and notifications, with commas between them. Needs
   * `securityGroups`.
   */
  readonly subnets?: string;
  /** The ids of security groups for the functions in `subnets`, with commas between them. Needs `subnets`. */
  readonly securityGroups?: string;
  /** The network of private issue trackers, such as `10.1.2.0/24`. Needs `subnets`. */
  readonly trackerNetwork?: string;
  /** The email address that receives every alarm. */
  readonly alarmEmail?: string;
  /** The monthly budget of the whole account, in US dollars. Needs `alarmEmail`. */
  readonly budget?: number;
  /** Whether each route has its own metrics. CloudWatch bills them as custom metrics. Default: false. */
  readonly metricsPerRoute?: boolean;
  /** The maximum number of concurrent executions per queue, from 2 to 1000. Default: 10. */
  readonly consumerConcurrency?: number;
  /** The Lambda concurrency limit of the account. An alarm is raised at 80 % of it. Default: 1000. */
  readonly lambdaConcurrency?: number;
  /** The name of a restored table, which is used instead of a new one. Needs `tableStream`. */
  readonly table?: string;
  /** The ARN of the stream of the restored table. Needs `table`. */
  readonly tableStream?: string;
  /** Whether a schedule exports the executions of each day as Parquet. Default: false. */
  readonly dailyExports?: boolean;
  /** Whether there is a CloudWatch dashboard. Default: false. */
  readonly dashboard?: boolean;
  /** The value of the tag `owner` of all resources. Default: `unassigned`. */
  readonly owner?: string;
  /** The value of the tag `cost-center` of all resources. Default: `unassigned`. */
  readonly costCenter?: string;
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
  /** The topic of all alarms. `undefined` in dev, which has no alarms. */
  readonly alarmTopic: ITopic | undefined;
  /** The ARN of the API's stage, to which a web ACL can be attached. */
  readonly stageArn: string;
  /** The target for the CNAME record of the domain. `undefined` without a domain. */
  readonly domainTarget: string | undefined;
}
