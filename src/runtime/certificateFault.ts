import { FRONT_CHARACTERS } from './classify.js';
import type { Failure } from './failure.js';

/** What is wrong with a certificate; `refused` is anything that is not told apart. */
export type CertificateFault = 'untrusted' | 'expired' | 'early' | 'host' | 'refused';

/**
 * Tells a certificate that was looked at and refused, which is the same at the next try, from a connection that broke, which may pass;
 * null for that and for every other failure. The harness has a field for some of these faults, for a connection that was lost, and for
 * a service that answered; only where none of them says anything its words decide.
 */
export function certificateFault({ apiError, apiErrorStatus, text = '' }: Failure): CertificateFault | null {
  if (apiError !== undefined) return FIELDS[apiError] ?? null;
  if (apiErrorStatus !== undefined) return null;
  const front = text.slice(0, FRONT_CHARACTERS);
  return FAULTS.find(([, words]) => words.test(front))?.[0] ?? null;
}

const FIELDS: Readonly<Record<string, CertificateFault>> = {
  tls_untrusted_ca: 'untrusted',
  tls_cert_signature_failure: 'refused',
};

/** Codes of OpenSSL, as Node and others give them, and the words that the harness puts in the place of some. */
const FAULTS: readonly (readonly [CertificateFault, RegExp])[] = [
  ['early', /\bCERT_NOT_YET_VALID\b|\bcertificate is not yet valid\b/i],
  ['expired', /\bCERT_HAS_EXPIRED\b|\bcertificate has expired\b/i],
  ['host', /\bERR_TLS_CERT_ALTNAME_INVALID\b|\bHOSTNAME_MISMATCH\b|\bcertificate hostname mismatch\b/i],
  [
    'untrusted',
    /\b(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_UNTRUSTED)\b|\bself-signed certificate\b/i,
  ],
  ['refused', /\bCERT_[A-Z_]{4,}\b|\bcertificate (?:verification failed|error|has been revoked)\b/i],
];
