/** The same for singular and plural (the S stemmer: Harman, "How effective is suffixing?", 1991). */
export function singular(word: string): string {
  if (word.length > 4 && /(?<![ae])ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (word.length > 4 && /(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2)
  if (word.length > 3 && /[^su]s$/.test(word) && !/is$/.test(word)) return word.slice(0, -1)
  return word
}

/** A rough stem to compare phrases: mining, miner and mine are equal, playing and play too. It is never shown. */
export function root(word: string): string {
  const one = singular(word)
  if (one.length <= 5) return one.replace(/e$/, '')
  return one
    .replace(/(?:ing|ed|er)$/, '')
    .replace(/e$/, '')
    .replace(/(\p{L})\1$/u, '$1')
}

/** The same for texts of the same words, whatever their order, number, case and punctuation. */
export const likeness = (text: string): string =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}+#]+/gu) ?? []
  )
    .map(root)
    .sort()
    .join(' ')

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Words without a meaning of their own. They may stand inside a phrase ("drag and drop"), not at its ends. */
export const functionWords = list(`
  a about above across after again against ago all almost along already also although always am among an and another any
  anybody anymore anyone anything anyway anywhere apart are aren around as aside at away back be became because become been
  before behind being below beside besides between beyond both but by came can cannot cant come could couldn couldnt did didn
  didnt do does doesn doesnt doing don done dont down due during each either else enough etc even ever every everybody
  everyone everything everywhere except far few for from further gave get gets getting give gives given go goes going gone
  gonna got had hadn has hasn hasnt have haven having he hence her here hers herself him himself his how however i id ie if ill
  im in indeed inside instead into is isn isnt it its itself ive just kept least less let lets like likely ll m made make makes
  making many may maybe me might mine more moreover most mostly much must my myself near nearly neither never no nobody none
  nor not nothing now nowhere of off often oh ok okay on once one ones only onto or other others otherwise ought our ours
  ourselves out outside over own per perhaps put quite rather re really s said same saw say says seem seems several shall she
  should shouldn since so some somebody somehow someone something sometimes somewhere soon still such t take takes taken than
  that thats the their theirs them themselves then there therefore theres these they theyre theyve thing things this those
  though three through thru thus till to together too took toward towards two under unless unlike until up upon us ve very via
  vs was wasn wasnt way ways we well went were weren what whatever when whenever where wherever whether which while who whole
  whom whose why will with within without won wont would wouldn wouldnt yes yet you youd youll your youre yours yourself youve
  four five six seven eight nine ten first second third last next lot lots bit kind sort couple basically actually literally
  simply exactly especially usually currently recently probably obviously definitely certainly completely entirely totally
  generally specifically previously finally eventually originally apparently slightly fully hopefully unfortunately thanks
  thank taking giving having doing coming applying please hi hello hey dear sorry cheers welcome btw imo imho fyi tldr edit ps eg aka lol tl dr asap
`)

/** Words about the wish itself, not about its subject. No topic contains one. */
export const genericWords = list(`
  ability able accept accepted achieve add added adding addition additional additionally affect affected allow allowed
  allowing allows amount answer answers anticipated appear appears apply appreciate appreciated approach appropriate
  ask asked asking assume attached attachment attempt available avoid aware awesome bad based basic begin behave
  behavior behaviour believe best better big bigger blah break broken bug bugs build built called calling care cause
  caused causes causing certain change changed changes changing check checked choice choose clean clear close com
  comment comments common compare complete complex concern confirm confirmed confuse confused confusing consider
  consistent contain contains convenient cool correct correctly couldve course create created creates creating crucial
  curious current cut deal decide decided define defined depend depends describe described description desired detail
  details dev develop developed developer developers developing didnt differ difference different difficult directly
  discuss discussed discussion documentation documented doubt easier easily easy effect ended enhance enhancement
  ensure entire equal everytime exact example examples excellent excited exist existing exists expect expected
  experienced explain explained expose extra extremely fact fail failed failing fails failure false fairly feature
  features feel feeling feels felt figure figured fill final find finding fine finish finished fix fixed fixes fixing
  follow followed following follows forget found free fresh friend friends fun functionality future gave general goal
  good great greatly guess guy guys half handled happen happened happening happens happy hard hate havent haven hear
  heard help helped helpful helping helps hope hoping idea ideal ideally ideas implement implementation implemented
  implementing important impossible improve improved improvement improvements include included includes including
  initial intend interest interested interesting introduce involve issue issues kb keep keeping keeps kinda knew know
  knowing known knows lack large later latest lead learn leave left listed little long longer look looked looking looks
  lose lost love low major man manner matter mean meaning means mention mentioned min minimum minor minute minutes miss
  missing moment moved moving multiple necessary need needed needing needs negative new nice nicely normal normally
  notice noticed occur occurs odd old older opened opinion opinions optional original particular pass past perfect
  perform pick plenty plus positive possibility possible possibly posted posting potential practice prefer prepare
  present pretty prevent previous prior priority problem problems proceed proper properly properties propose proposed
  provide provided provides purpose question questions quick quickly ran random rare reach ready real realize realized
  reason reasonable reasons receive received recent recommend recommendation recommendations recommended regard
  regarding regards related relevant remember remove removed removes removing repeat replace reply reported repro
  reproduce reproduced request requested requesting requests require required requirement requirements requires
  research respond response rest result results return returned returns right run running runs safe scenario seeing
  seen select selected send sense sentence separate serious setup short show showed showing shown shows similar simple
  sit situation small smaller solution solutions solve solved somewhat speak special specific specified specify spend
  spent stand started starting stated statement stay stopped straight strange stuff submit subreddit suggest suggested
  suggestion suggestions suit super supply support supported supporting supports suppose supposed sure talking tell
  tested testing thinking thinks thought thoughts throw tie till time times tip tips today todo told tomorrow tonight
  top total tried tries trouble true try trying turn turned turns unable understand update updated updates updating
  upvote use used useful uses using usual variety various wait waiting want wanted wanting wants wasnt watch weird win
  wish wonder wondering worked working worry worse worst worth written wrong xx yeah yesterday yo
`)

/** Words that mean something only next to another word: "map view", not "view". */
export const plainNouns = list(`
  account advice amazon american apps area array article attribute autumn background bar become body border bottom
  bought box boy business button buy buying call case charge charging child children class click client code color
  column command company computer content control cost country custom data day default delete depth development device
  disappears document dude eat email empty error evening event experience family fee female field file focus folder
  food form full function game girl giveaway good google group guide hand handle hardware header height history home
  hour house icon image index info information input instance item java javascript job key keyboard kid label language
  layout lbs level life line link list live load log loop mail main maintenance male man manager map market menu
  message method mode module monday money month morning mouse move name native natural nav night note number object
  offer open opening option order output package page paragraph parent part party people performance person phone piece
  place plan planned planning play player point pop popular position post pounds press price print process product
  profile program project property push read reading record reference remote replacement report room row sale sample
  school screen screenshot search section sell seller selling series server service session set setting share side sign
  single site size sort sound source space spring standard start state status step stop store string style subject
  summer sunday system tab table talk team template term test text thread title tool topic touch tower trade tree type
  university usage user value variable version vertical video view wall water web week weekend width window winter
  woman word work world write writing xml year young
`)

/** Headings of issue templates and courtesies of more than one word. */
export const templatePhrases = list(`
  steps_to_reproduce step_to_reproduce expected_result expected_results actual_result actual_results expected_behavior
  expected_behaviour actual_behavior actual_behaviour problem_description issue_description feature_description additional_context
  additional_information acceptance_criteria test_case test_cases sample_code code_sample code_snippet user_story use_case use_cases
  feature_request pull_request release_notes bug_report bug_reports help_desk support_ticket third_party 3rd_party open_source
  log_file stack_trace crash_log error_message error_messages console_log original_post long_story long_time
`)
