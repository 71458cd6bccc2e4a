import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';

/** Percent of the budget that were spent, and percent that AWS expects for the month. */
const SPENT_PERCENT = 80;
const EXPECTED_PERCENT = 100;

export interface Budget {
  readonly dollarsPerMonth: number;
  readonly email: string;
}

/**
 * A budget of the whole account. One of this stack alone would need a tag that AWS counts only after someone activated
 * it in the billing console, and would stay silent until then. The budget has no name, because CloudFormation replaces
 * it when the address changes, and could not create the name twice.
 */
export function addBudget(scope: Construct, { dollarsPerMonth, email }: Budget): void {
  const mail = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'EMAIL', address: email }],
  });
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: dollarsPerMonth, unit: 'USD' } },
    notificationsWithSubscribers: [mail('ACTUAL', SPENT_PERCENT), mail('FORECASTED', EXPECTED_PERCENT)],
  });
}
