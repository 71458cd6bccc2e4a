/** Daily copies of the table in a vault outside the stack, for the case that somebody who rules this account deletes it. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupSelection,
  BackupVault,
  BackupVaultEvents,
} from 'aws-cdk-lib/aws-backup';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { AlarmTarget } from './alarm.ts';
import { formatPhysicalName } from './physical-name.ts';

/** A backup of DynamoDB is a full copy. The local one is only the source of the copy: recovery to a point in time exists. */
const KEPT_DAYS = { here: 2, there: 14 };

export interface BackupsProps extends AlarmTarget {
  readonly table: ITable;
  readonly vaultArn: string;
}

export function addBackups(scope: Construct, { environment, alarmTopics, table, vaultArn }: BackupsProps): void {
  const construct = new Construct(scope, 'Backups');
  const vault = new BackupVault(construct, 'Vault', {
    backupVaultName: formatPhysicalName(environment, 'copies'),
    // CloudFormation cannot delete a vault with backups. A failed first deployment removes the empty vault.
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ...(alarmTopics ? { notificationTopic: alarmTopics.warning, notificationEvents: FAILURES } : {}),
  });
  const plan = new BackupPlan(construct, 'Plan', {
    backupPlanName: formatPhysicalName(environment, 'copies'),
    backupVault: vault,
    backupPlanRules: [
      new BackupPlanRule({
        ruleName: 'daily',
        scheduleExpression: Schedule.cron({ hour: '1', minute: '30' }),
        deleteAfter: Duration.days(KEPT_DAYS.here),
        copyActions: [
          {
            destinationBackupVault: BackupVault.fromBackupVaultArn(construct, 'Elsewhere', vaultArn),
            deleteAfter: Duration.days(KEPT_DAYS.there),
          },
        ],
      }),
    ],
  });
  const role = new Role(construct, 'Role', {
    assumedBy: new ServicePrincipal('backup.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(BACKUP_POLICY)],
  });
  acknowledge(
    role,
    `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${BACKUP_POLICY}]`,
    'AWS keeps this policy in step with what AWS Backup calls. Only AWS Backup can assume the role.',
  );
  new BackupSelection(construct, 'Selection', {
    backupPlan: plan,
    resources: [BackupResource.fromDynamoDbTable(table)],
    role,
  });
}

const BACKUP_POLICY = 'service-role/AWSBackupServiceRolePolicyForBackup';

const FAILURES = [
  BackupVaultEvents.BACKUP_JOB_FAILED,
  BackupVaultEvents.BACKUP_JOB_EXPIRED,
  BackupVaultEvents.COPY_JOB_FAILED,
];
