export const twoFactor = `
Two-factor authentication with security keys | We bought forty YubiKeys, and {p} only knows codes by text message. WebAuthn, please.
Hardware key support for two-factor authentication | SMS codes can be stolen with one phone call to the provider. I need FIDO2 to be allowed to use {p} at all.
Passkeys | My other accounts let me sign in with a fingerprint and no password. I would like that here too.
Sign in with a passkey | Passwords are shared on sticky notes in our shop whatever I say. Passkeys cannot be.
Enforce two-factor authentication for the whole team | I can turn it on for myself but not demand it from others. Our insurer demands it.
Require 2FA for administrators | At least those who can delete everything should need a second factor. Please add a switch.
Recovery codes for two-factor authentication | I lost my phone in the sea and was locked out for nine days. Ten codes on paper would have saved me.
Remember this device for 30 days | Two-factor authentication at each start, five times a day, on a machine in a locked room.
Authenticator app instead of SMS | There is no signal in our building, so text messages never arrive. TOTP works without one.
Let me rename my authenticators | Three entries called "Security key", and one of them is lost. Which one do I remove?
Two-factor authentication for API tokens that can write | Creating such a token should ask for the second factor again.
Show active sessions | I wish I could see where I am signed in and end what I do not know.
Sign out everywhere | A laptop was stolen. Changing my password left it signed in.
Audit log of sign-ins | Who came in, from where, with which factor: our auditor asks each year, and I have nothing to show.
SAML single sign-on without the enterprise plan | We are nine people and have an identity provider. Security should not start at 500 seats.
Single sign-on with OpenID Connect | SAML makes me cry. OIDC is supported by everything that we run.
SCIM provisioning | People leave and their accounts stay, because somebody has to remember.
Log out after inactivity | Shared computers on the ward stay signed in as the last nurse.
Restrict access by network | {p} holds patient data, and nobody needs it from a café. An allow list of addresses would be fine.
Warn me about a new sign-in | A mail when somebody enters from a new device is the least that I expect.
E-mail change should ask for the second factor | Two-factor authentication is worth little if an open session can change the address.
Guest links that expire | Contracts that we shared in 2021 still open today. Please add an end date to links.
Password on shared links | I would feel better if a forwarded address alone were not enough.
Encrypted backups | Backups land in our bucket as readable text. A public key to encrypt them with would do.
! Locked out after changing phones | Support has not answered in three days. Can a moderator help?
! Is two-factor authentication really needed for a cooking forum? | Honest question.
`

export const encryption = `
End-to-end encryption for notes | I keep my diary in {p} and would like to know that nobody else can read it.
Encrypt single notes with a password | Not everything is secret, but some pages are. A lock on one note would be enough for me.
Bring your own encryption key | Our customers ask who holds the key. Today the honest answer loses us the deal.
Show which data is encrypted | The marketing page says "bank-grade encryption", which means nothing. A table would be nice.
Encrypted sharing with people outside | I send results to patients and fall back to zip files with a password on the phone.
Open-source the encryption code | I wish I could read how it works, instead of trusting a white paper.
Key rotation without re-uploading | Changing the encryption key means to upload 300 GB again.
Encrypted search | With encryption on, search is off. There are schemes that allow both.
Warn before unencrypted export | The export writes secrets in plain text without a question.
Client-side encryption in the browser version | The desktop app encrypts, the web version does not, and the switch is called the same.
`
