// How forum posts are divided for drawing.

export type Stratum = 'wishNearSoftware' | 'software' | 'any'

const wish =
  /\[(?:suggestion|request|idea|feature)s?\]|\b(?:feature (?:requests?|suggestions?|ideas?)|(?:my|a|some|small|quick|simple) suggestions? (?:for|to)|suggestion:|i(?:'d| would) (?:really )?(?:love|like) (?:to see (?:a|an|the|more|some)|it if|an? (?:option|feature|way|button)|the (?:option|ability))|(?:would|it'd) be (?:really |so |very |pretty |super )?(?:nice|great|cool|awesome|useful|helpful|neat|amazing) (?:if|to (?:have|see|be able))|(?:i|we) wish (?:there|it|they|you|that|i could|we could)|please (?:add|make|allow|let us|implement|bring back|change)|should (?:add|implement|allow|have (?:a|an|the) (?:option|feature|button|way|setting)|be able to)|could (?:you|they|we) (?:please )?(?:add|implement)|can (?:we|you) (?:please )?(?:add|get an?|have an?)|any plans (?:to|for|on)|an option to|the (?:option|ability) to|ideas? for (?:a |an |the |some )?(?:new |future )?(?:features?|updates?|apps?|mods?|improvements?)|why (?:isn't there|is there no|can't (?:i|we|you)|don't they))/gi
const software =
  /\b(?:apps?|software|program|browser|chrome|firefox|safari|android|ios|windows|linux|ubuntu|plug-?ins?|extensions?|add-?ons?|websites?|web ?site|client|interface|ui|menu|button|settings?|updates?|patch|version|beta|api|script|mods?|game|server|devs?|developers?|steam|google|gmail|youtube|spotify|netflix|reddit|facebook|twitter|itunes|kindle|photoshop|excel|emacs|vim|keyboard shortcut|notifications?|sync|download|firmware|bot)\b/gi
/** A wish phrase is near a word of software within this many characters. */
const nearCharacters = 150

export function stratumOf(text: string): Stratum {
  const found = [...text.matchAll(software)].map(({ index }) => index)
  if (found.length === 0) return 'any'
  const isNear = [...text.matchAll(wish)].some(({ index }) => found.some((at) => Math.abs(at - index) < nearCharacters))
  return isNear ? 'wishNearSoftware' : 'software'
}
