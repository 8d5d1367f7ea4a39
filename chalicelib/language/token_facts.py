"""Facts about the vocabularies cl100k_base and o200k_base, read from them once: what `token_bounds` rests on."""

WORDS = frozenset("""
a about above across act action active add after again against age ago agree ahead air all allow almost alone along
already also although always am american among an and animal another answer any anyone anything apply april are area
around art article as ask asked at attention august available away baby back bad ball band bank bar base be because
become bed been before begin behind being believe best better between beyond big bill bit black blood blue board body
book born both box boy break bring brother build building built business but buy by call called came can car card care
career carry case cat cause cell center certain chance change character check child children china chinese choice
choose church city claim class clear close coach code cold college color come coming common community company computer
concern conference consider contact continue control cost could country couple course court cover create created
culture cup current customer cut dad daily dark data date daughter day days dead deal death december decide decision
deep degree design detail develop did die difference different dinner direct discuss discussion disease do doctor does
dog doing done door down draw dream drive drop during each early easy eat economic education effect eight either else
email end energy english enjoy enough enter entire environment especially even evening event ever every everyone
everything evidence exactly example experience explain eye eyes face fact factor fall family far fast father favorite
fear feel feeling few field fight figure file fill film final finally find fine finish fire first fish five floor fly
focus follow following food foot for force foreign forget form former forward four free friday friend friends from
front full fun future game garden general get getting girl give given glad go goal goes going gone good got great
green ground group grow growth guess gun guy had hair half hand hands happy hard has hate have he head health hear
heard heart heavy held hello help helpful her here high him his history hit hold home hope hospital hot hotel hour
hours house how however huge human hundred husband i idea if image important in include including increase indeed
individual industry information inside instead interest interesting international interview into investment is issue
issues it item its japanese job join just keep key kid kids kill kind know known land language large last late later
law lead leader learn learned learning least leave led left legal less let letter level lie life light like line list
listen little live lives living local long look looking lost lot love low machine made magazine main maintain major
make making man manage management manager many march mark market marriage may maybe me mean means media medical meet
meeting member members memory mention message method middle might mile military million mind minute minutes miss model
modern moment monday money month months more morning most mother move movement movie much music must my name nation
national natural nature near nearly need needs network never new news next nice night nine no none nor north not note
nothing notice november now number of off offer office officer official often oh oil okay old on once one only open
operation opportunity option or order other others our out outside over own page paid pain paper parent parents park
part party pass past patient pay peace people per perfect perhaps period person personal phone photo pick picture
piece place plan planning plant play player please point police policy political poor popular position positive
possible post power practice prepare present president press pretty price private probably problem problems process
produce product production program project property protect provide public pull purpose push put quality question
questions quickly quite race radio raise range rate rather reach read reading ready real reality really reason receive
recent recently recipe record red reduce region relationship release remember remove report represent require research
resource respond response rest result return right rise risk road rock role room rule run running safe said same save
saw say saying scene school science sea season seat second section security see seek seems seen sell send senior sense
sent series serious serve service set seven several shall share she shop short shot should show side sign significant
similar simple simply since single sister sit site situation six size skill skills skin sleep small smile so social
society some someone something sometimes son song soon sorry sort sound source south space speak special specific
spend sport sports spring staff stage stand standard star start state stay step still stock stop store story street
strong student students study stuff style subject success successful such summer sunday support sure surface system
table take taken talk talking task tax teach teacher team tell ten term test than thank thanks that the their them
then there these they thing things think thinking third this those though thought thousand three through time times to
today together tomorrow tonight too took top total touch town trade training travel treat treatment tree trial trip
trouble true trust truth try trying turn two type under understand understanding unit university until up upon us use
used user using usually value various very video view visit voice vote wait walk wall want wanted war was watch water
way we wear weather website week weekend weeks weight welcome well went were west what whatever when where whether
which while white who whole why wife will win wind window winter wish with within without woman women won wonder word
words work worker working works world would write writing written wrong yeah year years yes yesterday yet you young
your yourself
""".split())  # noqa: SIM905 -- a thousand lines otherwise
"""English words that are one token in both after a space, in lower case and with a capital, and two at the most
elsewhere."""

HAN = frozenset(
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企优会传但位体何余作"
    "你使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動包化北区十午华单南即历原"
    "去县参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四回因国图土在地场址型城基報場填增声处备"
    "复外多大天失头女好如始子字存学安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常平年并广序库应店度建开异"
    "式引张当录形影径待後得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换据排接推提播支收改放政效数整文"
    "料断新方族无日时明易星是時景更最月有服期木未本机权束条来板构析果查标样核格案检模次款止正此步歳段每比民気水求江"
    "汽没治法注活流海消清游源火点無然片版物特率环现球理生用由电男画界番登的监目直相省看県真知码确示社票私种科秒称移"
    "程稍税稿空立站章端笑符第等签简算管箱米类系素索约级线组经结给络统编网置美老考者而联能自至色节英藏行表装西要見见"
    "规视角解言計記話読计认议记论设证评试话询该详语误说请读调象责败账货购费资起超路身车转软载辑输达过运近还这进连述"
    "退送选通速造連道邮部都配释里重量金钟钮链销错键长開間関门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑"
)
"""Han characters that are one token in both."""

TRIPLE = 0xB7FFFDB0C003EF701F001831FDFE407083C90009C1CE3CEDE0000FD4000900E400781F404784001400
"""Bit n: some of the 64 characters from U+4E00 + 64 n are three tokens; in other blocks all are two or one."""

SINGLE = frozenset("、。《》「」『』【】（），－．／：；＞？～！·‘’“”…—–•″′")
"""Marks that are one token in both, save full-width digits."""

STRANGERS = frozenset("""
bq fj fz gj gk gq hj jg jv jw jx jy jz kq kx kz lq mz nq oq qf qg qj qk qo qv qy qz rj tj tq uq vq vz wq wv wz xg xh
xj xk xq xu xv xw yf yj yq yv zg zj zq zr zv
""".split())  # noqa: SIM905 -- fifty lines otherwise
"""Pairs of small letters that are no token in one of them. All other pairs are one in both."""
