/**
 * The public address of an AWS service in a region, for the requests that we sign ourselves. The regions of China have
 * another domain. Isolated partitions are not supported: set `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL_SSM` there.
 */
export const awsHost = (service: 's3' | 'ssm', region: string): string =>
  `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
