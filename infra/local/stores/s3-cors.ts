/** The CORS rules of a bucket: which web pages of other origins may read its objects. */
import * as z from 'zod';

const names = z.array(z.string().regex(/^[^<&]*$/));

/** The supported part of the AWS::S3::Bucket property. */
export const CorsConfiguration = z.strictObject({
  CorsRules: z.array(z.strictObject({ AllowedOrigins: names, AllowedMethods: names, AllowedHeaders: names })),
});

/** The body of PutBucketCors. */
export const corsXml = ({ CorsRules }: z.infer<typeof CorsConfiguration>): string =>
  `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${CorsRules.map(
    ({ AllowedOrigins, AllowedMethods, AllowedHeaders }) =>
      `<CORSRule>${[
        ...AllowedOrigins.map((origin) => `<AllowedOrigin>${origin}</AllowedOrigin>`),
        ...AllowedMethods.map((method) => `<AllowedMethod>${method}</AllowedMethod>`),
        ...AllowedHeaders.map((header) => `<AllowedHeader>${header}</AllowedHeader>`),
      ].join('')}</CORSRule>`,
  ).join('')}</CORSConfiguration>`;
